// The rules of the adaptive preset on both sides of each of their thresholds. Of 1000 entries, alpha makes 100 many.
#include "traverse/adaptive_policy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace brushfire {
namespace {

using enum Direction;
using enum FrontierQueue;

std::vector<FrontierQueue> const all_queues{scan_free, single_scan, double_scan, none};
std::vector<AdaptiveLevel> const all_levels{{0, 0, false},    {1, 0, false},    {99, 1, false},
                                            {1000, 0, false}, {100, 900, true}, {1, 900, true}};

AdaptivePolicy policy(std::optional<Direction> direction = {}, std::optional<FrontierQueue> queue = {})
{
  return {direction, queue, 1000};
}

TEST(AdaptivePolicy, PullsFromATenthOfTheEntries)
{
  for (bool const after_pull : {false, true}) {
    EXPECT_EQ(policy().choose_direction({1, 0, after_pull}), push);
    EXPECT_EQ(policy().choose_direction({99, 0, after_pull}), push);
    EXPECT_EQ(policy().choose_direction({100, 0, after_pull}), pull);
    EXPECT_EQ(policy().choose_direction({1000, 0, after_pull}), pull);
  }
}

// Only where to switch, not how fast the frontier grows.
TEST(AdaptivePolicy, GrowthDoesNotChangeTheDirection)
{
  EXPECT_EQ(policy().choose_direction({99, 1, false}), push);
  EXPECT_EQ(policy().choose_direction({100, 900, false}), pull);
}

TEST(AdaptivePolicy, PushesWhatHasNoEntries)
{
  EXPECT_EQ(policy().choose_direction({0, 0, false}), push);
  AdaptivePolicy const of_an_empty_graph{{}, {}, 0};
  EXPECT_EQ(of_an_empty_graph.choose_direction({0, 0, false}), push);
  EXPECT_EQ(of_an_empty_graph.choose_queue(push, {0, 0, false}), scan_free);
}

TEST(AdaptivePolicy, AForcedDirectionGoesFirst)
{
  for (auto const& level : all_levels) {
    EXPECT_EQ(policy(push).choose_direction(level), push);
    EXPECT_EQ(policy(pull).choose_direction(level), pull);
    EXPECT_EQ(policy(pull, scan_free).choose_direction(level), pull);
  }
}

TEST(AdaptivePolicy, WithoutAQueueEveryLevelPulls)
{
  for (auto const& level : all_levels) {
    EXPECT_EQ(policy({}, none).choose_direction(level), pull);
    EXPECT_EQ(policy({}, none).choose_queue(pull, level), none);
  }
}

TEST(AdaptivePolicy, AnotherForcedQueueLeavesTheDirectionAlone)
{
  for (FrontierQueue const queue : {scan_free, single_scan, double_scan}) {
    EXPECT_EQ(policy({}, queue).choose_direction({99, 0, false}), push);
    EXPECT_EQ(policy({}, queue).choose_direction({100, 0, false}), pull);
  }
}

TEST(AdaptivePolicy, APullDrawsItsQueueByDoubleScan)
{
  for (auto const& level : all_levels) {
    EXPECT_EQ(policy().choose_queue(pull, level), double_scan);
    for (FrontierQueue const queue : all_queues)
      EXPECT_EQ(policy({}, queue).choose_queue(pull, level), queue == none ? none : double_scan);
  }
}

TEST(AdaptivePolicy, TheFirstPushAfterAPullHasNoQueue)
{
  for (std::uint64_t const entries : {0, 1, 99, 100, 1000})
    EXPECT_EQ(policy().choose_queue(push, {entries, 500, true}), none);
}

TEST(AdaptivePolicy, AForcedQueueShowsInEveryPush)
{
  for (auto const& level : all_levels)
    for (FrontierQueue const queue : all_queues) {
      EXPECT_EQ(policy({}, queue).choose_queue(push, level), queue);
      EXPECT_EQ(policy(push, queue).choose_queue(push, level), queue);
    }
}

// Twice as many entries as before, so twice as many again are expected: 50 of them are as good as 100.
TEST(AdaptivePolicy, LambdaForetellsTheLevelBeforeThePull)
{
  EXPECT_EQ(policy().choose_queue(push, {50, 25, false}), single_scan);
  EXPECT_EQ(policy().choose_queue(push, {50, 26, false}), scan_free);
  EXPECT_EQ(policy().choose_queue(push, {49, 25, false}), scan_free);
  EXPECT_EQ(policy().choose_queue(push, {10, 1, false}), single_scan);
  EXPECT_EQ(policy().choose_queue(push, {9, 1, false}), scan_free);
}

TEST(AdaptivePolicy, TheRootHasNoLambda)
{
  EXPECT_EQ(policy().choose_queue(push, {99, 0, false}), scan_free);
  EXPECT_EQ(policy(push).choose_queue(push, {100, 0, false}), single_scan);
}

// A frontier that shrinks is judged by what it is: where only pushes are wanted, every big level is scanned for.
TEST(AdaptivePolicy, AShrinkingFrontierCountsAsItIs)
{
  EXPECT_EQ(policy().choose_queue(push, {99, 1000, false}), scan_free);
  EXPECT_EQ(policy(push).choose_queue(push, {100, 1000, false}), single_scan);
}

}  // namespace
}  // namespace brushfire
