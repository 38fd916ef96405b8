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
