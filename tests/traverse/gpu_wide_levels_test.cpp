// The battery through levels that the whole grid runs: with the options a user has, graphs this small are searched by
// one block alone.
#include "build/cuda/device_layout.hpp"
#include "device/buffer.hpp"
#include "exchange/one_device.hpp"
#include "gpu.hpp"
#include "traverse/cuda/cuda_stepper.hpp"
#include "traverse/search_battery.hpp"

#include <gtest/gtest.h>

namespace brushfire {
namespace {

using testing::BatteryCase;

class GpuWideLevels : public testing::NeedsGpu<::testing::TestWithParam<BatteryCase>> {};

TEST_P(GpuWideLevels, HaveTheLevelsOfTheOracle)
{
  device::Stream const stream;
  for (bool const directed : {false, true}) {
    auto const outcomes = testing::expected_outcomes(GetParam(), directed);
    for (auto const threshold : testing::thresholds) {
      Graph const graph = testing::build(GetParam().source, directed, threshold);
      DeviceLayout const layout = copy_to_device(graph.data().layout(), stream);
      cuda::SearchIndex const index(layout, stream);
      const Labels& labels = graph.data().labels;
      auto const table = device::make_buffer(labels.table(), stream);
      device::LabelsOnDevice const names{labels.consecutive() ? nullptr : table.data(), labels.first()};
      for (auto const direction : testing::directions) {
        CudaStepperOptions options;
        options.direction = direction;
        options.levels = true;
        options.wide_parents = true;
        options.narrow_entries = 0;
        auto const stepper = make_cuda_stepper(layout, index, names, options, stream);
        OneDevice alone;
        Trace trace;
        for (auto const& outcome : outcomes) {
          run_levels(*stepper, alone, labels.vertex(outcome.root), {}, trace);
          DeviceTree const tree = stepper->tree();
          std::vector<std::int32_t> levels(labels.size());
          device::copy_to_host(levels.data(), tree.levels, levels.size() * sizeof(std::int32_t), stream);
          stream.wait();
          EXPECT_EQ(levels, outcome.oracle.levels) << "root " << outcome.root << (directed ? ", directed" : "");
          EXPECT_EQ(tree.reached, outcome.oracle.reached);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuWideLevels, ::testing::ValuesIn(testing::battery()), testing::test_name);

}  // namespace
}  // namespace brushfire
