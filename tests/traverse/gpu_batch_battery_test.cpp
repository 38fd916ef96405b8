// Batched searches on the GPU: the battery against the oracle, built on the host and copied or built there; then a
// larger graph against the CPU.
#include "gpu.hpp"
#include "input/generator.hpp"
#include "traverse/batch_battery.hpp"

#include <brushfire/batch_search.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace brushfire {
namespace {

using testing::batch_on;
using testing::BatteryCase;
using testing::directions;

class GpuBatchSearchBattery : public testing::NeedsGpu<::testing::TestWithParam<BatteryCase>> {};

TEST_P(GpuBatchSearchBattery, MatchesTheOracle)
{
  std::vector<BatchOptions> ways;
  for (auto const direction : directions) ways.push_back(batch_on(Device::cuda, direction));
  for (Device const built_on : {Device::cpu, Device::cuda})
    testing::batches_match_the_oracle(GetParam(), built_on, ways);
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuBatchSearchBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

class GpuBatchSearch : public testing::NeedsGpu<> {};

TEST_F(GpuBatchSearch, MatchesTheCpuOnALargerKroneckerGraph)
{
  for (bool const directed : {false, true}) {
    Graph const graph = testing::build(open_generator("kron:16"), directed, std::nullopt, Device::cuda);
    auto const sources = random_sources(graph, 100, 5);
    BatchSearch on_cpu(graph, batch_on(Device::cpu));
    BatchResult const expected = on_cpu.run(sources);
    for (auto const direction : directions) {
      BatchSearch on_gpu(graph, batch_on(Device::cuda, direction));
      BatchResult const found = on_gpu.run(sources);
      EXPECT_TRUE(std::ranges::equal(found.levels, expected.levels)) << (direction ? name_of(*direction) : "any");
      for (std::size_t i = 0; i < sources.size(); ++i) EXPECT_EQ(found.sources[i].reached, expected.sources[i].reached);
    }
  }
}

}  // namespace
}  // namespace brushfire
