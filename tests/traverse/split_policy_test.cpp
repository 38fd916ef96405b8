// Push, pull, or both: what the policy of the GPU engine chooses in situations whose answer is plain.
#include "traverse/split_policy.hpp"

#include <gtest/gtest.h>

namespace brushfire {
namespace {

// The limit of least cost, given the frontier's and all unexplored entries by class.
ClassLimit cheapest(const TargetKind& targets, const float (&in_frontier)[source_classes],
                    const float (&unexplored)[source_classes])
{
  SplitPolicy const policy;
  ClassLimit best = 0;
  float least = 0;
  for (ClassLimit limit = 0; limit <= source_classes; ++limit) {
    ClassEntries below, above;
    for (unsigned its_class = 0; its_class < source_classes; ++its_class) {
      ClassEntries& side = its_class < limit ? below : above;
      side.in_frontier += in_frontier[its_class];
      side.unexplored += unexplored[its_class];
    }
    float const cost = policy.cost(targets, limit, below, above);
    if (limit == 0 || cost < least) {
      best = limit;
      least = cost;
    }
  }
  return best;
}

TEST(SplitPolicy, PushesASmallFrontier)
{
  float frontier[source_classes] = {}, all[source_classes] = {};
  for (float& entries : all) entries = 5e7;
  frontier[normal_class] = 1000;
  EXPECT_EQ(cheapest({3e7, 2e6}, frontier, all), 0u);
}

TEST(SplitPolicy, PullsWhenNearlyAllIsInTheFrontier)
{
  float frontier[source_classes], all[source_classes];
  for (unsigned i = 0; i < source_classes; ++i) frontier[i] = all[i] = 5e7;
  EXPECT_EQ(cheapest({3e6, 2e6}, frontier, all), source_classes);
}

// Few great hubs with most of the frontier's entries, and a tail of small ones: the hubs are asked for, the tail
// pushes.
TEST(SplitPolicy, SplitsTheWeakFirstPull)
{
  float frontier[source_classes] = {}, all[source_classes] = {};
  for (unsigned i = 0; i < 22; ++i) all[i] = 9e7;
  for (unsigned i = 0; i < 15; ++i) frontier[i] = 8e7;
  frontier[18] = 1e6;
  ClassLimit const limit = cheapest({3e7, 2e6}, frontier, all);
  EXPECT_GT(limit, 0u);
  EXPECT_LE(limit, 18u);
}

TEST(SplitPolicy, SlotsFollowFromLimits)
{
  EXPECT_EQ(first_slot_not_pulled(0, 1000), 0u);
  EXPECT_EQ(first_slot_not_pulled(1, 1000), 1u);
  EXPECT_EQ(first_slot_not_pulled(5, 1000), 16u);
  EXPECT_EQ(first_slot_not_pulled(normal_class, 1000), 1000u);
  EXPECT_EQ(first_slot_not_pulled(source_classes, 1000), no_vertex);
  for (Vertex const rank : {0u, 1u, 2u, 3u, 4u, 1000u})
    for (ClassLimit limit = 0; limit <= normal_class; ++limit)
      EXPECT_EQ(rank < first_slot_not_pulled(limit, 1 << 20), class_of_rank(rank) < limit) << rank << ' ' << limit;
}

TEST(SplitPolicy, KnowsWhatIsNotWorthAPull)
{
  SplitPolicy const policy;
  std::uint64_t const most = policy.most_entries_surely_pushed(1000);
  ClassEntries const frontier{static_cast<float>(most), static_cast<float>(most)};
  for (float const waiting : {0.F, 1.F, 1e6F})
    EXPECT_LE(policy.cost({waiting, 1000}, 0, {}, frontier),
              policy.cost({waiting, 1000}, source_classes, frontier, {}));
}

}  // namespace
}  // namespace brushfire
