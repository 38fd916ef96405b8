// What the choice of a direction asks about a subgraph.
#pragma once

#include "traverse/cpu/entry_account.hpp"
#include "traverse/cpu/side.hpp"
#include "traverse/policy.hpp"

#include <brushfire/trace.hpp>

namespace brushfire::cpu {

inline SubgraphWork work_of(Subgraph kind, const Side& sources, const Side& targets, const EntryAccount& entries)
{
  SubgraphWork work;
  work.frontier_entries = entries.in_frontier(kind);
  work.unexplored_entries = entries.unexplored(kind);
  work.waiting = targets.waiting;
  if (targets.waiting > 0)
    work.mean_list = static_cast<double>(entries.unexplored(reversed(kind))) / static_cast<double>(targets.waiting);
  work.scanned_words = words_for(targets.count);
  work.frontier = sources.current().size();
  work.unvisited_sources = sources.waiting;
  work.all_entries = entries.all(kind);
  return work;
}

}  // namespace brushfire::cpu
