// Push or pull for the levels of a part: what its device knows, from the counters that each level leaves, and what its
// kernels are told to do.
#pragma once

#include "traverse/cuda/part_index.hpp"
#include "traverse/cuda/part_level.cuh"
#include "traverse/part_policy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace brushfire::cuda {

class PartPlanning {
 public:
  PartPlanning(const PartIndex& index, Vertex vertices, Vertex delegates, const PartPolicy& policy)
      : index_(index), vertices_(vertices), delegates_(delegates), policy_(policy)
  {
  }

  void start()
  {
    plan_ = {};
    counts_ = {};
    for (std::size_t kind = 0; kind < 2; ++kind) {
      counts_.all[kind] = counts_.unexplored[kind] = index_.search.entries_of_class[kind];
      counts_.waiting[kind] = kind == 0 ? index_.search.searchable_delegates : index_.search.searchable_normals;
      counts_.vertices[kind] = kind == 0 ? delegates_ : vertices_;
    }
  }

  // The frontier that a level has left. Its entries follow from how many vertices of each class it has: ranks of a
  // class have about the same degree.
  void take_frontier(const PartTally& tally)
  {
    std::copy_n(tally.in_class, source_classes, counts_.sources.begin());
    counts_.queued = tally.queue_cut == 0;
    counts_.frontier = {0, tally.in_class[normal_class]};
    for (unsigned its_class = 0; its_class < normal_class; ++its_class)
      counts_.frontier[0] += tally.in_class[its_class];
    counts_.waiting[0] -= counts_.frontier[0];
    counts_.waiting[1] -= counts_.frontier[1] - tally.never_waited;
    frontier_entries_ = 0;
    for (std::size_t kind = 0; kind < 2; ++kind)
      for (unsigned its_class = 0; its_class < source_classes; ++its_class) {
        counts_.in_frontier[kind][its_class] = expected_entries(kind, its_class, tally.in_class[its_class]);
        frontier_entries_ += counts_.in_frontier[kind][its_class];
      }
  }
  void choose() { plan_ = policy_.choose(counts_, plan_.directions); }
  void frontier_is_expanded()
  {
    for (std::size_t kind = 0; kind < 2; ++kind)
      for (unsigned its_class = 0; its_class < source_classes; ++its_class)
        counts_.unexplored[kind][its_class] -=
            std::min(counts_.unexplored[kind][its_class], counts_.in_frontier[kind][its_class]);
  }

  const PartPlan& plan() const { return plan_; }
  const PartCounts& counts() const { return counts_; }
  std::uint64_t frontier_entries() const { return frontier_entries_; }  // about

  // What the kernels are told to do for one kind of target; the other is left alone.
  LevelPlan plan_for(std::size_t kind) const
  {
    const KindPlan& its = plan_.kinds[kind];
    LevelPlan plan{};
    plan.pulled_below[0] = plan.pulled_below[1] = no_vertex;
    plan.shortest_piece = long_list;  // how many entries a frontier has is only estimated
    if (its.pulls) plan.limits[kind] = its.limit;
    if (its.pulls || its.pushes) plan.pulled_below[kind] = first_slot_not_pulled(its.limit, delegates_);
    plan.pulls = its.pulls;
    plan.pushes = its.pushes;
    return plan;
  }

 private:
  std::uint64_t expected_entries(std::size_t kind, unsigned its_class, unsigned sources) const
  {
    auto const entries = static_cast<double>(index_.search.entries_of_class[kind][its_class]);
    auto const members = static_cast<double>(std::max<std::uint64_t>(index_.members_of_class[its_class], 1));
    auto const about = static_cast<std::uint64_t>(std::ceil(entries / members * sources));
    std::uint64_t const expected = std::min(about, counts_.unexplored[kind][its_class]);
    // What is said to be explored may still have entries left.
    return std::max<std::uint64_t>(expected, entries > 0 && sources != 0 ? 1 : 0);
  }

  const PartIndex& index_;
  Vertex vertices_, delegates_;
  PartPolicy policy_;
  PartCounts counts_;
  PartPlan plan_;
  std::uint64_t frontier_entries_ = 0;
};

}  // namespace brushfire::cuda
