#include "traverse/part_policy.hpp"

#include <numeric>

namespace brushfire {

namespace {

std::uint64_t sum(const PartCounts::ByClass& entries, ClassLimit first, ClassLimit last)
{
  return std::accumulate(entries.begin() + first, entries.begin() + last, std::uint64_t{0});
}

Direction pull_if(bool pulls) { return pulls ? Direction::pull : Direction::push; }

}  // namespace

ClassLimit PartPolicy::cheapest_limit(const PartCounts& counts, std::size_t kind) const
{
  if (forced) return *forced == Direction::pull ? source_classes : 0;
  TargetKind const targets{static_cast<float>(counts.waiting[kind]), static_cast<float>(counts.vertices[kind]) / 32};
  auto const entries = [&](ClassLimit first, ClassLimit last) {
    return ClassEntries{static_cast<float>(sum(counts.in_frontier[kind], first, last)),
                        static_cast<float>(sum(counts.unexplored[kind], first, last))};
  };
  auto const cost = [&](ClassLimit limit) {
    double total = split.cost(targets, limit, entries(0, limit), entries(limit, source_classes));
    std::uint64_t lists = 0;  // that are pushed
    for (ClassLimit its_class = limit; its_class < source_classes; ++its_class)
      if (counts.in_frontier[kind][its_class] != 0) lists += counts.sources[its_class];
    if (lists != 0) total += pushed_list * static_cast<double>(lists) + (counts.queued ? 0 : queue);
    return total;
  };
  ClassLimit best = 0;
  double least = cost(0);
  for (ClassLimit limit = 1; limit <= source_classes; ++limit) {
    double const its_cost = cost(limit);
    if (its_cost >= least) continue;
    least = its_cost;
    best = limit;
  }
  return best;
}

PartPlan PartPolicy::choose(const PartCounts& counts, const Directions& before) const
{
  if (rule != PartRule::cheapest && !forced) return choose_by_subgraph(counts, before);
  PartPlan plan;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    KindPlan& its = plan.kinds[kind];
    its.limit = cheapest_limit(counts, kind);
    // Where nobody waits, nothing is pushed either.
    if (counts.waiting[kind] == 0) continue;
    its.pulls = sum(counts.in_frontier[kind], 0, its.limit) > 0;
    its.pushes = sum(counts.in_frontier[kind], its.limit, source_classes) > 0;
  }
  plan.directions[index_of(Subgraph::dd)] = pull_if(plan.kinds[0].limit > 0);
  plan.directions[index_of(Subgraph::nd)] = pull_if(plan.kinds[0].limit > normal_class);
  plan.directions[index_of(Subgraph::dn)] = pull_if(plan.kinds[1].limit > 0);
  return plan;
}

PartPlan PartPolicy::choose_by_subgraph(const PartCounts& counts, const Directions& before) const
{
  DirectionPolicy published;
  published.as_published = rule == PartRule::published;
  published.adaptive = rule == PartRule::adaptive;
  PartPlan plan;
  for (auto const& [subgraph, from, to] : {std::array<std::size_t, 3>{index_of(Subgraph::dd), 0, 0},
                                           {index_of(Subgraph::nd), 1, 0},
                                           {index_of(Subgraph::dn), 0, 1}}) {
    auto const of_sources = [from = from](const PartCounts::ByClass& entries) {
      return from == 0 ? sum(entries, 0, normal_class) : entries[normal_class];
    };
    SubgraphWork work;
    work.frontier_entries = of_sources(counts.in_frontier[to]);
    work.all_entries = of_sources(counts.all[to]);
    work.waiting = counts.waiting[to];
    work.frontier = counts.frontier[from];
    work.unvisited_sources = counts.waiting[from];
    plan.directions[subgraph] = published.choose(static_cast<Subgraph>(subgraph), work, before[subgraph]);
    if (work.frontier_entries == 0 || work.waiting == 0) continue;
    bool const pulls = plan.directions[subgraph] == Direction::pull;
    KindPlan& its = plan.kinds[to];
    its.pushes |= !pulls;
    if (!pulls) continue;
    its.pulls |= from == 0;
    if (from == 0) its.limit = normal_class;
    if (from == 1 && its.pulls) its.limit = source_classes;
    if (from == 1 && !its.pulls) its.pulls_normals = true;
  }
  return plan;
}

}  // namespace brushfire
