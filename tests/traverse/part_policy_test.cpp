// Push or pull of one GPU among several: what is pulled covers what is not pushed, and the other way round.
#include "traverse/part_policy.hpp"

#include <gtest/gtest.h>

namespace brushfire {
namespace {

constexpr auto dd = index_of(Subgraph::dd), dn = index_of(Subgraph::dn), nd = index_of(Subgraph::nd);
constexpr auto rules = {PartRule::cheapest, PartRule::published, PartRule::adaptive};

// 1000 delegates and 100000 normal vertices, nearly all waiting; the frontier has some of each.
PartCounts some_counts(std::uint64_t delegate_entries, std::uint64_t normal_entries)
{
  PartCounts counts;
  counts.vertices = {1000, 100000};
  counts.waiting = {990, 99000};
  counts.frontier = {delegate_entries > 0 ? 10u : 0u, normal_entries > 0 ? 1000u : 0u};
  counts.in_frontier[0][3] = counts.in_frontier[1][3] = delegate_entries;
  counts.in_frontier[0][normal_class] = normal_entries;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    counts.unexplored[kind] = counts.in_frontier[kind];
    counts.unexplored[kind][9] += 1000000;
  }
  counts.unexplored[0][normal_class] += 1000000;
  counts.all = counts.unexplored;
  return counts;
}

TEST(PartPolicy, VisitsNothingWithoutEntriesOrTargets)
{
  for (PartRule const rule : rules) {
    for (auto const forced : {std::optional<Direction>(), std::optional(Direction::pull)}) {
      PartPolicy const policy{forced, rule, {}};
      PartCounts nobody_waits = some_counts(100, 100);
      nobody_waits.waiting = {0, 0};
      for (const PartCounts& counts : {some_counts(0, 0), nobody_waits})
        for (const KindPlan& kind : policy.choose(counts, {}).kinds)
          EXPECT_FALSE(kind.pulls || kind.pushes || kind.pulls_normals);
    }
  }
}

TEST(PartPolicy, DoesAsItIsForced)
{
  for (PartRule const rule : rules) {
    PartPlan const push = PartPolicy{Direction::push, rule, {}}.choose(some_counts(1 << 20, 1 << 20), {});
    PartPlan const pull = PartPolicy{Direction::pull, rule, {}}.choose(some_counts(1, 1), {});
    for (std::size_t kind = 0; kind < 2; ++kind) {
      EXPECT_TRUE(push.kinds[kind].pushes && !push.kinds[kind].pulls && push.kinds[kind].limit == 0);
      EXPECT_TRUE(pull.kinds[kind].pulls && !pull.kinds[kind].pushes && pull.kinds[kind].limit == source_classes);
    }
    for (auto const subgraph : {dd, dn, nd}) {
      EXPECT_EQ(push.directions[subgraph], Direction::push);
      EXPECT_EQ(pull.directions[subgraph], Direction::pull);
    }
  }
}

TEST(PartPolicy, PushesSmallFrontiersAndPullsLargeOnes)
{
  PartPolicy const policy;
  PartPlan const small = policy.choose(some_counts(10, 10), {});
  EXPECT_TRUE(small.kinds[0].pushes && !small.kinds[0].pulls);
  PartPlan const large = policy.choose(some_counts(std::uint64_t{1} << 33, 0), {});
  EXPECT_TRUE(large.kinds[1].pulls && !large.kinds[1].pushes);
  EXPECT_EQ(large.directions[dn], Direction::pull);
}

// Their factor for nd is so small that it turns with the first normal vertices, while dd is still pushed.
TEST(PartPolicy, PullsNormalsAloneByThePublishedRule)
{
  PartPolicy const policy{{}, PartRule::published, {}};
  PartPlan const plan = policy.choose(some_counts(10, 10), {});
  EXPECT_EQ(plan.directions[dd], Direction::push);
  EXPECT_EQ(plan.directions[nd], Direction::pull);
  EXPECT_TRUE(plan.kinds[0].pulls_normals && plan.kinds[0].pushes && !plan.kinds[0].pulls);
  EXPECT_EQ(plan.kinds[0].limit, 0u);
  PartPlan const next = policy.choose(some_counts(1 << 20, 10), plan.directions);
  EXPECT_EQ(next.directions[dd], Direction::pull);
  EXPECT_TRUE(next.kinds[0].pulls && !next.kinds[0].pushes && !next.kinds[0].pulls_normals);
  EXPECT_EQ(next.kinds[0].limit, source_classes);
}

TEST(PartPolicy, NeverTurnsBackByThePublishedRule)
{
  PartPolicy const policy{{}, PartRule::published, {}};
  Directions pulled{};
  pulled.fill(Direction::pull);
  PartPlan const plan = policy.choose(some_counts(1, 0), pulled);
  EXPECT_EQ(plan.directions[dd], Direction::pull);
  EXPECT_TRUE(plan.kinds[0].pulls && !plan.kinds[0].pushes);
  EXPECT_EQ(plan.kinds[0].limit, normal_class);
}

// Each subgraph by its own entries, and back again when they are few.
TEST(PartPolicy, TurnsBothWaysByTheAdaptiveRule)
{
  PartPolicy const policy{{}, PartRule::adaptive, {}};
  PartPlan const hubs = policy.choose(some_counts(1 << 20, 10), {});
  EXPECT_EQ(hubs.directions[dd], Direction::pull);
  EXPECT_EQ(hubs.directions[nd], Direction::push);
  EXPECT_TRUE(hubs.kinds[0].pulls && hubs.kinds[0].pushes && hubs.kinds[0].limit == normal_class);
  PartPlan const others = policy.choose(some_counts(10, 1 << 20), hubs.directions);
  EXPECT_EQ(others.directions[dd], Direction::push);
  EXPECT_EQ(others.directions[nd], Direction::pull);
  EXPECT_TRUE(others.kinds[0].pulls_normals && others.kinds[0].pushes && !others.kinds[0].pulls);
}

}  // namespace
}  // namespace brushfire
