// Graphs from arrays of the caller's, built on the GPU and searched and judged there.
#include "device/buffer.hpp"
#include "engine/caller_graphs.hpp"
#include "gpu.hpp"
#include "traverse/search_checks.hpp"

#include <brushfire/error.hpp>
#include <brushfire/machine.hpp>

#include <gtest/gtest.h>

namespace brushfire {
namespace {

using testing::BatteryCase;
using testing::difference;
using testing::Expected;

void expect_searched_there(const Graph& graph, const BatteryCase& graph_case)
{
  SearchOptions options;
  options.device = Device::cuda;
  options.levels = true;
  Search search(graph, options);
  for (Label const root : graph_case.roots) {
    EXPECT_EQ(difference(search.run(root), Expected(graph_case.source, root, false), false), "") << root;
    EXPECT_EQ(search.validate().witness, "");
  }
}

class GpuEdgesBattery : public testing::NeedsGpu<::testing::TestWithParam<BatteryCase>> {};

TEST_P(GpuEdgesBattery, MatchesTheOracle)
{
  testing::CallersEdges<std::int64_t> const edges(*GetParam().source);
  expect_searched_there(Graph::from_edges(edges.arrays(), {.device = Device::cuda}), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuEdgesBattery, ::testing::ValuesIn(testing::battery_of_edges()), testing::test_name);

class GpuRowsBattery : public testing::NeedsGpu<::testing::TestWithParam<BatteryCase>> {};

TEST_P(GpuRowsBattery, MatchesTheOracle)
{
  testing::CallersRows<std::uint64_t, std::int32_t> const rows(testing::tuples_of(*GetParam().source),
                                                               *testing::declared_vertices(*GetParam().source), true);
  expect_searched_there(Graph::from_csr(rows.arrays(), {.device = Device::cuda}), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuRowsBattery, ::testing::ValuesIn(testing::battery_of_rows()), testing::test_name);

class GpuArrays : public testing::NeedsGpu<> {};

TEST_F(GpuArrays, AreCopiedToTheHost)
{
  std::vector<int> const values{3, 1, 4, 1, 5};
  device::Stream const stream;
  device::Buffer<int> there(values.size());
  there.upload(values, stream);
  std::vector<int> copied(values.size());
  copy_from_gpu(copied.data(), there.data(), there.bytes());  // whatever the stream has done so far
  EXPECT_EQ(copied, values);
  EXPECT_THROW(copy_from_gpu(copied.data(), values.data(), sizeof(int)), Error);
}

}  // namespace
}  // namespace brushfire
