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

TEST_P(PartsSearchBattery, FindsParentsWithoutKeepingLevels)
{
  testing::finds_parents_without_keeping_levels(GetParam(), Device::cpu, 3);
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
