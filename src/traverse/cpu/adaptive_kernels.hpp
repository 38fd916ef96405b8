// What a thread of the adaptive preset does with one list: push along it, or look through it for a parent.
//
// The status array, a level per vertex or -1, is all that tells who is found. It is read while others write it, and
// relaxed will do: what was seen too late only costs a claim, or a level of waiting, and levels wait for each other.
#pragma once

#include "base/labels_view.hpp"
#include "build/layout.hpp"
#include "traverse/cpu/adaptive_queues.hpp"

#include <brushfire/types.hpp>

#include <atomic>
#include <cstdint>

namespace brushfire::cpu {

// What a thread did, on its own cache line.
struct alignas(64) AdaptiveTally {
  Amount found;  // of the level that is searched for
  Amount early;  // of one further
  std::uint64_t checked = 0;

  void operator+=(const AdaptiveTally& other)
  {
    found += other.found;
    early += other.early;
    checked += other.checked;
  }
};

// What a waiting vertex saw.
struct Sighting {
  Vertex parent = no_vertex;  // somebody of the frontier
  Vertex early = no_vertex;   // somebody of the next level
};

// A search as its kernels see it in one level.
template <typename Parent>
struct AdaptiveView {
  SubgraphView out, in;
  LabelsView labels;
  std::int32_t* status;
  Parent* parents;
  std::int32_t level;  // of the frontier

  std::int32_t level_of(Vertex v) const { return std::atomic_ref(status[v]).load(std::memory_order_relaxed); }
  bool waits(Vertex v) const { return level_of(v) == unreached; }
  bool claim(Vertex v) const
  {
    std::int32_t expected = unreached;
    return std::atomic_ref(status[v]).compare_exchange_strong(expected, level + 1, std::memory_order_relaxed);
  }
  void settle(Vertex v, std::int32_t at, Vertex parent) const
  {
    std::atomic_ref(status[v]).store(at, std::memory_order_relaxed);
    std::atomic_ref(parents[v]).store(static_cast<Parent>(labels(parent)), std::memory_order_relaxed);
  }

  // A part of u's list. Scan-free: the thread that wins the status appends the vertex. Else several may mark the same
  // vertex; each writes the same level and a parent that is right.
  template <bool append>
  void push(Vertex u, EntryRange range, Batch& next, AdaptiveTally& tally) const
  {
    for (EdgeIndex e = range.first; e < range.last; ++e) {
      Vertex const v = out.target(e);
      if (!waits(v) || (append && !claim(v))) continue;
      settle(v, level + 1, u);
      if (append) next.add(v);
    }
    tally.checked += range.size();
  }

  // A part of the list of a vertex that waits; `ahead`: for somebody of the next level too.
  Sighting look_through(EntryRange range, bool ahead, AdaptiveTally& tally) const
  {
    Sighting sighting;
    for (EdgeIndex e = range.first; e < range.last && sighting.parent == no_vertex; ++e) {
      Vertex const u = in.target(e);
      std::int32_t const seen = level_of(u);
      if (seen == level) sighting.parent = u;
      if (seen == level + 1 && ahead) sighting.early = u;
      ++tally.checked;
    }
    return sighting;
  }

  // For a vertex that has seen enough, or everything. Asynchronous (paper 5.2): one that saw nobody of the frontier's
  // level l but somebody of level l + 1 is of level l + 2. This is exact: level l was complete before this level began,
  // and l + 1 is only ever given to who has a neighbour on level l. A neighbour seen too early to have its level
  // only means that the vertex waits for the next one.
  void settle_sighting(Vertex v, const Sighting& sighting, AdaptiveTally& tally) const
  {
    if (sighting.parent != no_vertex) {
      settle(v, level + 1, sighting.parent);
      tally.found += {1, out.length(v)};
    } else if (sighting.early != no_vertex) {
      settle(v, level + 2, sighting.early);
      tally.early += {1, out.length(v)};
    }
  }
};

}  // namespace brushfire::cpu
