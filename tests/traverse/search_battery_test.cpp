// Every graph of the battery, from several roots, through every way of searching it on the CPU, against the oracle.
#include "traverse/search_battery.hpp"

#include "input/generator.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace brushfire {
namespace {

using ::brushfire::testing::BatteryCase;
using ::brushfire::testing::build;
using ::brushfire::testing::describe;
using ::brushfire::testing::difference;
using ::brushfire::testing::directions;
using ::brushfire::testing::Expected;
using ::brushfire::testing::search_on;
using ::brushfire::testing::thresholds;

class SearchBattery : public ::testing::TestWithParam<BatteryCase> {};

TEST_P(SearchBattery, MatchesTheOracle)
{
  testing::matches_the_oracle(GetParam(), Device::cpu, thresholds, testing::ways_to_search(Device::cpu, {1, 2, 3}));
}

TEST_P(SearchBattery, StopsAtTheDepthLimit)
{
  std::vector<SearchOptions> ways;
  for (auto const direction : directions) ways.push_back(search_on(Device::cpu, direction, true));
  testing::stops_at_the_depth_limit(GetParam(), ways);
}

TEST_P(SearchBattery, FindsThePathToATarget)
{
  testing::finds_the_path_to_a_target(GetParam(), search_on(Device::cpu));
}

TEST_P(SearchBattery, ValidatesItself)
{
  Search search(build(GetParam().source, false, std::nullopt), search_on(Device::cpu));
  for (Label root : GetParam().roots) {
    search.run(root);
    EXPECT_EQ(search.validate().witness, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, SearchBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

TEST(Search, RefusesAnUnknownRoot) { testing::refuses_an_unknown_root(search_on(Device::cpu)); }

// Level after level with one vertex each: what a level costs when it does nothing.
TEST(Search, SurvivesALongPath)
{
  std::uint64_t const vertices = 100'000;
  auto const source = testing::make_source("path", vertices, testing::path_edges(vertices));
  for (Label root : {Label{0}, Label{50'000}}) {
    Expected const expected(source, root, false);
    for (auto threshold : {thresholds[1], thresholds[2]}) {
      for (auto direction : {directions[0], directions[1]}) {
        for (int threads : {1, 2}) {
          Search search(build(source, false, threshold), search_on(Device::cpu, direction, false, threads));
          EXPECT_EQ(difference(search.run(root), expected, false), "");
        }
      }
    }
  }
}

// Long enough, and wide enough, for threads to share its levels by stripes: as it lies, and with its vertices dealt out
// so that every neighbour is another part's.
class LongGrid : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  static constexpr Label rows = 300, columns = 320;

  static testing::SharedSource source()
  {
    constexpr auto vertices = static_cast<std::uint64_t>(rows * columns);
    auto const number = [](Label v) {
      return static_cast<Label>(static_cast<std::uint64_t>(v) * GetParam() % vertices);
    };
    std::vector<Edge> edges;
    for (Label row = 0; row < rows; ++row)
      for (Label column = 0; column < columns; ++column) {
        Label const here = row * columns + column;
        if (column + 1 < columns) edges.push_back({number(here), number(here + 1)});
        if (row + 1 < rows) edges.push_back({number(here), number(here + columns)});
      }
    return testing::make_source("long grid", vertices, edges);
  }
};

TEST_P(LongGrid, MatchesTheOracle)
{
  auto const grid = source();
  Graph const graph = build(grid, false, std::nullopt);
  for (Label const root : {Label{0}, Label{150 * columns + 160}}) {
    Expected const expected(grid, root, false);
    for (int const threads : {1, 2, 3, 5}) {
      for (bool const deterministic : {false, true}) {
        SearchOptions way = search_on(Device::cpu, std::nullopt, deterministic, threads);
        way.wide_parents = threads == 3;
        SCOPED_TRACE(describe({}, way));
        Search search(graph, way);
        for (int again = 0; again < 2; ++again) {
          SearchResult const result = search.run(root);
          EXPECT_EQ(difference(result, expected, deterministic), "");
          EXPECT_EQ(testing::trace_difference(result, way), "");
        }
      }
    }
  }
}

TEST_P(LongGrid, StopsWhereItIsTold)
{
  auto const grid = source();
  Graph const graph = build(grid, false, std::nullopt);
  Expected const everything(grid, 0, false);
  for (int const threads : {2, 3}) {
    SearchOptions const way = search_on(Device::cpu, std::nullopt, false, threads);
    Search search(graph, way);
    for (std::int64_t const max_depth : {280, 281, 282}) {
      SearchResult const result = search.run(0, {.target = {}, .max_depth = max_depth});
      EXPECT_EQ(difference(result, Expected(grid, 0, false, max_depth), false), "");
    }
    for (Label const target : {Label{77'777}, Label{77'778}, Label{77'779}, Label{50'001}}) {
      SearchResult const result = search.run(0, {.target = target, .max_depth = {}});
      auto const depth = everything.oracle.levels[everything.labels.vertex(target)];
      EXPECT_EQ(result.depth, depth);
      EXPECT_EQ(static_cast<std::int32_t>(search.path_to(target).size()) - 1, depth);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Numbered, LongGrid, ::testing::Values(1u, 7919u));

// Large enough that every thread gets blocks of every subgraph.
TEST(Search, MatchesTheOracleOnALargerKroneckerGraph)
{
  testing::SharedSource const source = open_generator("kron:14");
  for (auto threshold : {thresholds[0], thresholds[1], thresholds[4]}) {
    Graph const graph = build(source, false, threshold);
    for (Label root : random_sources(graph, 4, 1)) {
      Expected const expected(source, root, false);
      for (auto direction : directions) {
        for (bool deterministic : {false, true}) {
          SearchOptions const options = search_on(Device::cpu, direction, deterministic, 3);
          SCOPED_TRACE(describe({.threshold = threshold}, options));
          EXPECT_EQ(difference(Search(graph, options).run(root), expected, deterministic), "");
        }
      }
    }
  }
}

// The compiled reference code counts 16,775,818 edges in the giant component of scale 20 (GRAPH500.md).
TEST(Search, CountsTheEdgesOfTheReference)
{
  Search search(build(open_generator("kron:20"), false, std::nullopt), search_on(Device::cpu));
  EXPECT_EQ(search.run(754405).nedge, 16'775'818u);
  Verdict const verdict = search.validate();
  EXPECT_EQ(verdict.witness, "");
  EXPECT_EQ(verdict.nedge, 16'775'818u);
}

TEST(Search, GraphIsShared) { testing::shares_a_graph(Device::cpu, search_on(Device::cpu)); }

}  // namespace
}  // namespace brushfire
