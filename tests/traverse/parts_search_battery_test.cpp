// The battery over several devices of one process: the same levels as the oracle, whoever has which vertex.
#include "traverse/search_battery.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace brushfire {
namespace {

using testing::BatteryCase;
using testing::search_on;
using testing::thresholds;

std::vector<SearchOptions> ways_to_search_in_parts()
{
  std::vector<SearchOptions> ways{search_on(Device::cpu), search_on(Device::cpu, Direction::push),
                                  search_on(Device::cpu, Direction::pull), search_on(Device::cpu, std::nullopt, true)};
  ways[1].uniquify = true;
  ways[2].wide_parents = true;
  return ways;
}

class PartsSearchBattery : public ::testing::TestWithParam<BatteryCase> {};

void match_the_oracle(const BatteryCase& graph, std::initializer_list<int> device_counts)
{
  for (int const devices : device_counts) {
    SCOPED_TRACE(std::to_string(devices) + " devices");
    testing::matches_the_oracle(graph, Device::cpu, {thresholds[0], plain_threshold, 2}, ways_to_search_in_parts(),
                                devices);
  }
}

TEST_P(PartsSearchBattery, MatchesTheOracle) { match_the_oracle(GetParam(), {2, 3}); }
TEST_P(PartsSearchBattery, MatchesTheOracleInLargerGroups) { match_the_oracle(GetParam(), {4, 7, 8, 16}); }

// Devices ask each other for levels when they look for parents, also where the user wants none.
TEST_P(PartsSearchBattery, FindsParentsWithoutKeepingLevels)
{
  for (bool const directed : {false, true}) {
    for (auto const threshold : {std::optional<std::uint64_t>(plain_threshold), std::optional<std::uint64_t>(4)}) {
      SearchOptions way = search_on(Device::cpu);
      way.levels = false;
      Search search(testing::build(GetParam().source, directed, threshold, Device::cpu, 3), way);
      for (std::optional<std::int64_t> const max_depth : {std::optional<std::int64_t>{}, {2}}) {
        for (auto const& outcome : testing::expected_outcomes(GetParam(), directed, max_depth)) {
          SearchResult const result = search.run(outcome.root, {.target = {}, .max_depth = max_depth});
          EXPECT_EQ(result.reached, outcome.oracle.reached);
          auto const& levels = outcome.oracle.levels;
          for (Vertex v = 0; v < result.parents.size(); ++v) {
            Label const parent = result.parents[v];
            ASSERT_EQ(parent == no_label, levels[v] == unreached) << "vertex " << v << ", root " << outcome.root;
            if (levels[v] > 0) ASSERT_EQ(levels[outcome.labels.vertex(parent)], levels[v] - 1) << "vertex " << v;
          }
        }
      }
    }
  }
}

TEST_P(PartsSearchBattery, StopsAtTheDepthLimit)
{
  testing::stops_at_the_depth_limit(
      GetParam(), {search_on(Device::cpu, std::nullopt, true), search_on(Device::cpu, Direction::push, true)},
      {thresholds[0], thresholds[2]}, 3);
}

TEST_P(PartsSearchBattery, FindsThePathToATarget)
{
  testing::finds_the_path_to_a_target(GetParam(), search_on(Device::cpu), std::nullopt, 2);
}

INSTANTIATE_TEST_SUITE_P(Graphs, PartsSearchBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

}  // namespace
}  // namespace brushfire
