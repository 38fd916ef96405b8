// Every graph of the battery, from several roots, through every way of searching it, against the oracle. One Search
// runs all roots of a graph, so what it forgets to clear between two searches shows.
#include "battery.hpp"
#include "engine/graph_data.hpp"
#include "input/generator.hpp"
#include "traverse/search_checks.hpp"

#include <brushfire/error.hpp>
#include <brushfire/search.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace brushfire {
namespace {

using ::brushfire::testing::BatteryCase;
using ::brushfire::testing::describe;
using ::brushfire::testing::difference;
using ::brushfire::testing::Expected;

using Thresholds = std::vector<std::optional<std::uint64_t>>;
Thresholds const thresholds{std::nullopt, plain_threshold, 0, 2, 8};
std::vector<std::optional<Direction>> const directions{std::nullopt, Direction::push, Direction::pull};

Graph build(testing::SharedSource source, bool directed, std::optional<std::uint64_t> threshold)
{
  return build_graph(std::move(source), {.directed = directed, .threshold = threshold, .threads = 2}, Progress::none());
}

class SearchBattery : public ::testing::TestWithParam<BatteryCase> {
 protected:
  // Every expected outcome of this graph, computed once.
  static std::vector<Expected> expected(bool directed, std::optional<std::int64_t> max_depth = std::nullopt)
  {
    std::vector<Expected> all;
    for (Label root : GetParam().roots) all.emplace_back(GetParam().source, root, directed, max_depth);
    return all;
  }
};

TEST_P(SearchBattery, MatchesTheOracle)
{
  for (bool directed : {false, true}) {
    auto const outcomes = expected(directed);
    for (auto threshold : thresholds) {
      Graph const graph = build(GetParam().source, directed, threshold);
      for (auto direction : directions) {
        for (int threads : {1, 2, 3}) {
          for (bool wide : {false, true}) {
            for (bool deterministic : {false, true}) {
              SearchOptions const options{direction, deterministic, true, wide, threads};
              SCOPED_TRACE(describe({.directed = directed, .threshold = threshold}, options));
              Search search(graph, options);
              for (auto const& outcome : outcomes)
                EXPECT_EQ(difference(search.run(outcome.root), outcome, deterministic), "") << "root " << outcome.root;
            }
          }
        }
      }
    }
  }
}

TEST_P(SearchBattery, StopsAtTheDepthLimit)
{
  for (bool directed : {false, true}) {
    for (std::int64_t max_depth : {0, 1, 3, 1000}) {
      auto const outcomes = expected(directed, max_depth);
      for (auto threshold : {thresholds[0], thresholds[2]}) {
        Graph const graph = build(GetParam().source, directed, threshold);
        for (auto direction : directions) {
          SearchOptions const options{direction, true, true, false, 2};
          SCOPED_TRACE(describe({.directed = directed, .threshold = threshold}, options));
          Search search(graph, options);
          for (auto const& outcome : outcomes) {
            auto const result = search.run(outcome.root, {.target = {}, .max_depth = max_depth});
            EXPECT_EQ(difference(result, outcome, true), "") << "root " << outcome.root << ", depth " << max_depth;
          }
        }
      }
    }
  }
}

// The path has the length of the target's level and goes up by the parents; unreached targets have none.
TEST_P(SearchBattery, FindsThePathToATarget)
{
  for (bool directed : {false, true}) {
    Graph const graph = build(GetParam().source, directed, std::nullopt);
    Search search(graph, {.direction = {}, .threads = 2});
    for (auto const& outcome : expected(directed)) {
      for (Label target : GetParam().roots) {
        SCOPED_TRACE("from " + std::to_string(outcome.root) + " to " + std::to_string(target));
        SearchResult const result = search.run(outcome.root, {.target = target, .max_depth = {}});
        auto const path = search.path_to(target);
        EXPECT_EQ(static_cast<std::int32_t>(path.size()) - 1, outcome.oracle.levels[outcome.labels.vertex(target)]);
        EXPECT_LE(result.reached, outcome.oracle.reached);
        if (path.empty()) continue;
        EXPECT_EQ(path.front(), outcome.root);
        EXPECT_EQ(path.back(), target);
        for (std::size_t i = 1; i < path.size(); ++i)
          EXPECT_EQ(result.parents[outcome.labels.vertex(path[i])], path[i - 1]);
      }
    }
  }
}

TEST_P(SearchBattery, ValidatesItself)
{
  Search search(build(GetParam().source, false, std::nullopt));
  for (Label root : GetParam().roots) {
    search.run(root);
    EXPECT_EQ(search.validate().witness, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, SearchBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

TEST(Search, RefusesAnUnknownRoot)
{
  Search search(build(testing::make_source("two", 2, {{0, 1}}), false, std::nullopt));
  for (Label root : {Label{2}, Label{-1}, largest_label}) {
    try {
      search.run(root);
      FAIL() << root;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
  EXPECT_EQ(search.run(1).reached, 2u);
}

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
          Search search(build(source, false, threshold), {direction, false, true, false, threads});
          EXPECT_EQ(difference(search.run(root), expected, false), "");
        }
      }
    }
  }
}

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
          SearchOptions const options{direction, deterministic, true, false, 3};
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
  Search search(build(open_generator("kron:20"), false, std::nullopt));
  EXPECT_EQ(search.run(754405).nedge, 16'775'818u);
  Verdict const verdict = search.validate();
  EXPECT_EQ(verdict.witness, "");
  EXPECT_EQ(verdict.nedge, 16'775'818u);
}

// One graph, searched by many threads at once.
TEST(Search, GraphIsShared)
{
  testing::SharedSource const source = open_generator("kron:10");
  Graph const graph = build(source, false, std::nullopt);
  auto const roots = random_sources(graph, 4, 7);
  ASSERT_EQ(roots.size(), 4u);
  std::vector<std::string> differences(roots.size());
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    callers.emplace_back([&, i] {
      Expected const expected(source, roots[i], false);
      Search search(graph, {.direction = {}, .levels = true, .threads = 2});
      for (int repeat = 0; repeat < 20 && differences[i].empty(); ++repeat)
        differences[i] = difference(search.run(roots[i]), expected, false);
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(differences, std::vector<std::string>(roots.size()));
}

}  // namespace
}  // namespace brushfire
