// Graphs from arrays of the caller's: the battery as a caller has it in memory, searched and judged like any other, and
// what is refused.
#include "engine/caller_graphs.hpp"
#include "engine/graph_data.hpp"
#include "traverse/search_checks.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace brushfire {
namespace {

using testing::BatteryCase;
using testing::CallersEdges;
using testing::CallersRows;
using testing::difference;
using testing::Expected;

SearchOptions with_levels()
{
  SearchOptions options;
  options.device = Device::cpu;
  options.levels = true;
  options.threads = 2;
  return options;
}

void expect_searched(const Graph& graph, const BatteryCase& graph_case, bool directed)
{
  Search search(graph, with_levels());
  for (Label const root : graph_case.roots) {
    SearchResult const result = search.run(root);
    EXPECT_EQ(difference(result, Expected(graph_case.source, root, directed), false), "") << root;
    EXPECT_EQ(search.validate().witness, "");
    EXPECT_EQ(validate_parents(graph, root, result.parents).witness, "");
  }
}

class EdgesSearchBattery : public ::testing::TestWithParam<BatteryCase> {};

TEST_P(EdgesSearchBattery, MatchesTheOracle)
{
  CallersEdges<std::int64_t> const edges(*GetParam().source);
  for (bool const directed : {false, true})
    expect_searched(Graph::from_edges(edges.arrays(), {.directed = directed}), GetParam(), directed);
  expect_searched(Graph::from_edges(edges.arrays(), {.threads = 1, .devices = 3}), GetParam(), false);
}

INSTANTIATE_TEST_SUITE_P(Graphs, EdgesSearchBattery, ::testing::ValuesIn(testing::battery_of_edges()),
                         testing::test_name);

class RowsSearchBattery : public ::testing::TestWithParam<BatteryCase> {};

TEST_P(RowsSearchBattery, MatchesTheOracle)
{
  std::uint64_t const vertices = *testing::declared_vertices(*GetParam().source);
  auto const edges = testing::tuples_of(*GetParam().source);
  CallersRows<std::uint64_t, std::int32_t> const once(edges, vertices, false), twice(edges, vertices, true);
  expect_searched(Graph::from_csr(once.arrays(), {.directed = true}), GetParam(), true);
  // Each edge counts once, in whichever lists it stands.
  expect_searched(Graph::from_csr(once.arrays()), GetParam(), false);
  Graph const symmetric = Graph::from_csr(twice.arrays());
  expect_searched(symmetric, GetParam(), false);
  EXPECT_EQ(symmetric.facts().edges_input, edges.size());
}

INSTANTIATE_TEST_SUITE_P(Graphs, RowsSearchBattery, ::testing::ValuesIn(testing::battery_of_rows()),
                         testing::test_name);

// The path 0 - 1 - 2 - 3, however it is kept in memory.
template <typename Integer>
class ArraysSearchTypes : public ::testing::Test {
};
using Integers = ::testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, long long>;
TYPED_TEST_SUITE(ArraysSearchTypes, Integers);

void expect_path(const Graph& graph)
{
  Search search(graph, with_levels());
  search.run(0);
  EXPECT_EQ(search.path_to(3), (std::vector<Label>{0, 1, 2, 3}));
}

TYPED_TEST(ArraysSearchTypes, AllAreRead)
{
  std::vector<TypeParam> const sources{0, 1, 2}, targets{1, 2, 3}, offsets{0, 1, 2, 3, 3};
  expect_path(Graph::from_edges({sources, targets}));
  expect_path(Graph::from_csr({offsets, targets}));
  // Pairs, as the rows of a matrix, and backwards.
  std::array<TypeParam, 6> const pairs{0, 1, 1, 2, 2, 3};
  expect_path(Graph::from_edges({IntegersView(pairs.data(), 3, 2 * sizeof(TypeParam)),
                                 IntegersView(pairs.data() + 1, 3, 2 * sizeof(TypeParam))}));
  expect_path(
      Graph::from_edges({IntegersView(sources.data() + 2, 3, -static_cast<std::ptrdiff_t>(sizeof(TypeParam))),
                         IntegersView(targets.data() + 2, 3, -static_cast<std::ptrdiff_t>(sizeof(TypeParam)))}));
}

TEST(ArraysSearch, AnOwnerIsHeldAsLongAsTheGraph)
{
  auto edges = std::make_shared<std::vector<std::int64_t>>(std::vector<std::int64_t>{0, 1, 2, 3});
  std::weak_ptr<void> const alive = edges;
  std::optional<Search> search;
  {
    EdgeArrays arrays{IntegersView(edges->data(), 3), IntegersView(edges->data() + 1, 3)};
    arrays.owner = std::move(edges);
    search.emplace(Graph::from_edges(arrays), with_levels());
  }
  EXPECT_FALSE(alive.expired());
  search->run(0);
  EXPECT_EQ(search->validate().witness, "");
  search.reset();
  EXPECT_TRUE(alive.expired());
}

TEST(ArraysSearch, NothingIsAGraphToo)
{
  std::vector<std::int64_t> const none, one_offset{0};
  EXPECT_EQ(Graph::from_edges({none, none}).facts().vertices, 0u);
  EXPECT_EQ(Graph::from_edges({none, none, 3}).facts().vertices, 3u);
  EXPECT_EQ(Graph::from_csr({one_offset, none}).facts().vertices, 0u);
}

template <typename Make>
void expect_refused(ErrorKind kind, const std::string& message, Make&& make)
{
  try {
    make();
    ADD_FAILURE() << "not refused: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_EQ(error.what(), message);
  }
}

TEST(ArraysSearch, RefusesWhatIsNoGraph)
{
  auto const edges = [](std::vector<std::int64_t> sources, std::vector<std::int64_t> targets,
                        std::optional<std::uint64_t> vertices = std::nullopt) {
    return [=] { Graph::from_edges({sources, targets, vertices}); };
  };
  auto const rows = [](std::vector<std::int64_t> offsets, std::vector<std::int32_t> targets) {
    return [=] { Graph::from_csr({offsets, targets}); };
  };
  expect_refused(ErrorKind::usage, "edges: 2 sources and 1 targets; an edge has one of each", edges({0, 1}, {1}));
  expect_refused(ErrorKind::input, "edges: edge 1 names vertex -7, outside 0 ... 9223372036854775807",
                 edges({0, 1}, {1, -7}));
  expect_refused(ErrorKind::input, "edges: edge 0 names vertex 5, outside 0 ... 4", edges({5, 1}, {1, 2}, 5));
  std::vector<std::uint64_t> const huge{1, std::uint64_t{1} << 63};
  expect_refused(ErrorKind::input, "edges: edge 1 names vertex 9223372036854775808, outside 0 ... 9223372036854775807",
                 [&] {
                   Graph::from_edges({huge, huge});
                 });
  expect_refused(ErrorKind::usage, "csr: there are no offsets; the rows of n vertices have n+1", rows({}, {}));
  expect_refused(ErrorKind::input, "csr: the first offset is 1, and must be 0", rows({1, 2}, {0, 0}));
  expect_refused(ErrorKind::input, "csr: the offsets are out of order: row 1 starts at 2 and ends at 1",
                 rows({0, 2, 1}, {0, 1}));
  expect_refused(ErrorKind::input, "csr: the offsets are out of order: row 0 starts at 0 and ends at -1",
                 rows({0, -1}, {}));
  expect_refused(ErrorKind::input, "csr: the last offset is 3, and there are 2 targets", rows({0, 3}, {0, 0}));
  expect_refused(ErrorKind::input, "csr: the last offset is 1, and there are 2 targets", rows({0, 1}, {0, 0}));
  expect_refused(ErrorKind::input, "csr: entry 1 names vertex 2, outside 0 ... 1", rows({0, 1, 2}, {1, 2}));
}

TEST(ArraysSearch, JudgesParentsOfOthers)
{
  std::vector<std::int32_t> const sources{0, 1, 2}, targets{1, 2, 3};
  Graph const graph = Graph::from_edges({sources, targets});
  std::vector<std::int64_t> parents{0, 0, 1, 2};
  auto const judge = [&](std::optional<std::int64_t> max_depth = std::nullopt) {
    return validate_parents(graph, 0, {parents.data(), parents.size()}, max_depth);
  };
  EXPECT_TRUE(judge().valid());
  EXPECT_EQ(judge().nedge, 3u);
  parents[3] = no_label;
  EXPECT_FALSE(judge().valid());
  EXPECT_TRUE(judge(2).valid());
  parents.pop_back();
  expect_refused(ErrorKind::usage, "edges: there are 3 parents, and 4 vertices", [&] { judge(); });
  expect_refused(ErrorKind::usage, "source 9 is not in edges", [&] { validate_parents(graph, 9, {}); });
}

TEST(ArraysSearch, ManyThreadsShareAGraphOfArrays)
{
  testing::SharedSource const source = testing::random_graph(5, {.vertices = 2000, .edges = 8000, .skewed = true});
  CallersEdges<std::int32_t> const edges(*source);
  Graph const graph = Graph::from_edges(edges.arrays(), {.threads = 2});
  std::vector<std::thread> threads;
  for (Label root = 0; root < 4; ++root)
    threads.emplace_back([&, root] {
      Search search(graph, with_levels());
      for (Label const start : {root, root + 100}) {
        EXPECT_EQ(difference(search.run(start), Expected(source, start, false), false), "");
        EXPECT_EQ(search.validate().witness, "");
      }
    });
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace brushfire
