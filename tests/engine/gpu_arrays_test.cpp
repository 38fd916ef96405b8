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

// Arrays of the caller's in device memory, at a distance of two integers from one another: columns of a matrix.
template <typename Integer>
class Columns {
 public:
  explicit Columns(const std::vector<std::vector<Integer>>& columns)
  {
    std::vector<Integer> matrix;
    for (std::size_t row = 0; row < columns[0].size(); ++row)
      for (auto const& column : columns) matrix.push_back(column[row]);
    rows_ = columns[0].size();
    width_ = columns.size();
    device::Stream const stream;
    there_ = device::Buffer<Integer>(matrix.size());
    there_.upload(matrix, stream);
    stream.wait();
  }
  IntegersView operator[](std::size_t column) const
  {
    auto const stride = static_cast<std::ptrdiff_t>(width_ * sizeof(Integer));
    return IntegersView(there_.data() + column, rows_, stride).on_gpu();
  }

 private:
  std::size_t rows_, width_;
  device::Buffer<Integer> there_;
};

class GpuEdgesThereBattery : public testing::NeedsGpu<::testing::TestWithParam<BatteryCase>> {};

// Labels that leave gaps are among the cases; the CPU gets a copy.
TEST_P(GpuEdgesThereBattery, MatchesTheOracle)
{
  testing::CallersEdges<std::int64_t> const edges(*GetParam().source);
  if (edges.sources.empty()) GTEST_SKIP() << "an array of nothing is nowhere";
  Columns<std::int64_t> const there({edges.sources, edges.targets});
  EdgeArrays const arrays{there[0], there[1], edges.vertices};
  expect_searched_there(Graph::from_edges(arrays, {.device = Device::cuda}), GetParam());
  Search search(Graph::from_edges(arrays, {.device = Device::cpu}), {.levels = true, .device = Device::cpu});
  for (Label const root : GetParam().roots)
    EXPECT_EQ(difference(search.run(root), Expected(GetParam().source, root, false), false), "") << root;
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuEdgesThereBattery, ::testing::ValuesIn(testing::battery_of_edges()),
                         testing::test_name);

class GpuRowsThereBattery : public testing::NeedsGpu<::testing::TestWithParam<BatteryCase>> {};

TEST_P(GpuRowsThereBattery, MatchesTheOracle)
{
  auto const tuples = testing::tuples_of(*GetParam().source);
  if (tuples.empty()) GTEST_SKIP() << "an array of nothing is nowhere";
  for (bool const both_ways : {false, true}) {
    testing::CallersRows<std::uint64_t, std::uint32_t> const rows(
        tuples, *testing::declared_vertices(*GetParam().source), both_ways);
    Columns<std::uint64_t> const offsets({rows.offsets});
    Columns<std::uint32_t> const targets({rows.targets});
    Graph const graph = Graph::from_csr({offsets[0], targets[0]}, {.device = Device::cuda});
    if (both_ways) {
      EXPECT_EQ(graph.facts().edges_input, tuples.size());  // what stands in both lists counts once
    }
    expect_searched_there(graph, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuRowsThereBattery, ::testing::ValuesIn(testing::battery_of_rows()),
                         testing::test_name);

// What is wrong there is named as it is on the host.
TEST_F(GpuArrays, AreRefusedThere)
{
  auto const message = [](const EdgeArrays& arrays) -> std::string {
    try {
      Graph::from_edges(arrays, {.device = Device::cuda});
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  Columns<std::int32_t> const negative({{0, 1, 2}, {1, -7, 0}});
  EXPECT_NE(message({negative[0], negative[1]}).find("edge 1 names vertex -7"), std::string::npos);
  Columns<std::uint32_t> const outside({{0, 1, 2}, {1, 2, 9}});
  EXPECT_NE(message({outside[0], outside[1], 9}).find("edge 2 names vertex 9, outside 0 ... 8"), std::string::npos);
  Columns<std::int64_t> const offsets({{0, 2, 1}});
  EXPECT_THROW(Graph::from_csr({offsets[0], outside[0]}, {.device = Device::cuda}), Error);
}

// Wide enough for every thread to read several, and from the last vertex on down.
TEST_F(GpuArrays, AreReadInBlocks)
{
  constexpr std::int32_t vertices = 5'000'000;
  std::vector<std::int32_t> sources, targets;
  for (std::int32_t v = vertices; --v > 0;) sources.push_back(v), targets.push_back(v / 2);
  Columns<std::int32_t> const there({sources, targets});
  Graph const graph = Graph::from_edges({there[0], there[1]}, {.device = Device::cuda});
  EXPECT_EQ(graph.facts().vertices, std::uint64_t{vertices});
  Search search(graph, {.device = Device::cuda});
  SearchResult const result = search.run(0);
  EXPECT_EQ(result.reached, std::uint64_t{vertices});
  EXPECT_EQ(result.depth, 23);  // of 2^22 ... 2^23 - 1
  EXPECT_EQ(search.validate().witness, "");
}

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
