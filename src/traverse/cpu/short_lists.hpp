// Levels of small frontiers in graphs without hubs (grids, paths, roads), which have thousands or millions of them:
// what counts is the cost of a level and of a vertex, not how many threads there are. One thread walks the lists and
// writes what it finds straight to the next queue. It does not look at the lists of what it finds: their lines are
// fetched ahead in the next level, while counting their entries here would wait for every one of them.
#pragma once

#include "base/bits.hpp"
#include "base/labels_view.hpp"
#include "build/layout.hpp"
#include "traverse/cpu/list_walk.hpp"
#include "traverse/cpu/targets.hpp"

#include <brushfire/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace brushfire::cpu {

// Lists up to this length are alike enough for the mean of all to stand for those of a frontier.
inline constexpr std::uint32_t short_list = 64;

// Returns how many were found; `next` has room for all that can be. The queue is walked from its end: what was found
// last, and the pages it lies on, are still at hand, while a walk from the start finds gone what it comes to.
// What elsewhere(v, u) takes, a vertex and who found it, is not settled here.
template <typename Parent, typename Elsewhere>
std::uint64_t push_alone(const SubgraphView& graph, std::span<const Vertex> queue, LabelsView labels,
                         const Targets<Parent>& targets, Vertex* next, std::uint64_t& checked, Elsewhere&& elsewhere)
{
  Vertex* found = next;
  for (std::size_t i = queue.size(); i-- > 0;) {
    if (i >= 2 * lists_ahead) graph.prefetch_row(queue[i - 2 * lists_ahead]);
    if (i >= lists_ahead) prefetch_list(graph, queue[i - lists_ahead]);
    EntryRange const row = graph.row(queue[i]);
    Label const parent = labels(queue[i]);
    checked += row.size();
    for (EdgeIndex e = row.first; e < row.last; ++e) {
      Vertex const v = graph.target(e);
      if (test_bit(targets.visited, v)) continue;
      set_bit(targets.visited, v);
      if (elsewhere(v, queue[i])) continue;
      targets.settle(v, parent);
      *found++ = v;
    }
  }
  return static_cast<std::uint64_t>(found - next);
}

}  // namespace brushfire::cpu
