// The battery through levels that the whole grid runs, and through first pulls by kernels of their own: with the
// options a user has, graphs this small are searched by one block alone.
#include "build/cuda/device_layout.hpp"
#include "device/buffer.hpp"
#include "exchange/one_device.hpp"
#include "gpu.hpp"
#include "input/generator.hpp"
#include "traverse/cuda/cuda_stepper.hpp"
#include "traverse/search_battery.hpp"
#include "validate/oracle.hpp"

#include <gtest/gtest.h>

namespace brushfire {
namespace {

using testing::BatteryCase;

// Where a tree has a vertex that it should not have, or a parent that is not one level above.
std::string wrong_parent(const std::vector<std::int64_t>& parents, const Labels& labels, Label root,
                         const std::vector<std::int32_t>& levels)
{
  for (std::uint64_t v = 0; v < levels.size(); ++v) {
    bool const is_root = labels.label(static_cast<Vertex>(v)) == root;
    bool const right = levels[v] == unreached ? parents[v] == -1
                       : is_root              ? parents[v] == root
                                              : parents[v] >= 0 && levels[labels.vertex(parents[v])] == levels[v] - 1;
    if (!right) return "vertex " + std::to_string(v) + " has parent " + std::to_string(parents[v]);
  }
  return "";
}

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
        options.least_apart = 0;
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
          std::vector<std::int64_t> parents(labels.size());
          device::copy_to_host(parents.data(), tree.parents.wide, parents.size() * sizeof(std::int64_t), stream);
          stream.wait();
          EXPECT_EQ(wrong_parent(parents, labels, outcome.root, levels), "") << "root " << outcome.root;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuWideLevels, ::testing::ValuesIn(testing::battery()), testing::test_name);

class GpuFirstPull : public testing::NeedsGpu<> {};

std::vector<std::int64_t> parents_of(const DeviceTree& tree, const device::Stream& stream)
{
  std::vector<std::int64_t> wide(tree.parents.size);
  std::vector<std::int32_t> narrow(tree.parents.size);
  if (tree.parents.wide != nullptr)
    device::copy_to_host(wide.data(), tree.parents.wide, wide.size() * sizeof(std::int64_t), stream);
  else
    device::copy_to_host(narrow.data(), tree.parents.narrow, narrow.size() * sizeof(std::int32_t), stream);
  stream.wait();
  if (tree.parents.wide == nullptr) wide.assign(narrow.begin(), narrow.end());
  return wide;
}

// Graphs that are wide enough for the push of a level to go on behind its pull, in every width and with limits.
TEST_F(GpuFirstPull, AndThePushBehindItLeaveARightTree)
{
  device::Stream const stream;
  unsigned apart = 0, split = 0;
  for (std::string const spec : {"kron:16", "powerlaw:60000:2.3", "tail:14:40"}) {
    Graph const graph = testing::build(open_generator(spec), false, std::nullopt);
    DeviceLayout const layout = copy_to_device(graph.data().layout(), stream);
    cuda::SearchIndex const index(layout, stream);
    const Labels& labels = graph.data().labels;
    for (bool const wide : {false, true})
      for (bool const levels : {false, true}) {
        CudaStepperOptions options;
        options.levels = levels;
        options.wide_parents = wide;
        options.narrow_entries = 0;
        options.least_apart = 0;
        auto const stepper = make_cuda_stepper(layout, index, {nullptr, labels.first()}, options, stream);
        for (Label const root : random_sources(graph, 4, 7))
          for (std::optional<std::int64_t> const max_depth :
               {std::optional<std::int64_t>(), std::optional<std::int64_t>(3)}) {
            SCOPED_TRACE(spec + " from " + std::to_string(root) + (max_depth ? ", limited" : ""));
            OneDevice alone;
            Trace trace;
            run_levels(*stepper, alone, labels.vertex(root), {.target = std::nullopt, .max_depth = max_depth}, trace);
            DeviceTree const tree = stepper->tree();
            OracleResult const oracle = oracle_search(*graph.data().source, labels, root, false, max_depth);
            EXPECT_EQ(tree.reached, oracle.reached);
            EXPECT_EQ(wrong_parent(parents_of(tree, stream), labels, root, oracle.levels), "");
            apart += tree.first_pull_was_apart;
            for (const LevelRecord& level : trace.records())
              split += tree.first_pull_was_apart && level.directions[index_of(Subgraph::dn)] == Direction::pull &&
                       level.directions[index_of(Subgraph::nn)] == Direction::push;
          }
      }
  }
  EXPECT_GT(apart, 0u);
  EXPECT_GT(split, 0u);
}

}  // namespace
}  // namespace brushfire
