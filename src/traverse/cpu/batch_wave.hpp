// What a batch of searches keeps per slot, and counts in a level: delegates have slots by rank, then all other
// vertices.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "traverse/batch_stepper.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace brushfire::cpu {

using Slot = std::uint32_t;

// What a level did; every thread has its own on its own cache line.
struct alignas(64) BatchTally {
  SourceCounts found{};
  SourceCounts delegate_entries{};                  // in the lists of the delegates among them
  std::uint64_t frontier_entries = 0, normals = 0;  // of what any source found: in the lists of delegates, and others
  std::uint64_t waiting = 0, waiting_entries = 0;   // what a pull left for later levels
  std::uint64_t checked = 0;

  void operator+=(const BatchTally& other)
  {
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i] += other.found[i];
      delegate_entries[i] += other.delegate_entries[i];
    }
    frontier_entries += other.frontier_entries;
    normals += other.normals;
    waiting += other.waiting;
    waiting_entries += other.waiting_entries;
    checked += other.checked;
  }
};

// The lists of the slots of one kind.
struct BatchLists {
  SubgraphView to_delegates, to_normals;
  // The two runs of a row stand side by side.
  std::uint32_t length(Vertex row) const { return to_normals.ends[row] - to_delegates.starts[row]; }
  void prefetch_row(Vertex row) const
  {
    to_delegates.prefetch_row(row);
    to_normals.prefetch_row(row);
  }
};

// Those of all slots.
struct ListsOfSlots {
  BatchLists of_delegates, of_normals;
  Slot first_normal;

  bool is_delegate(Slot slot) const { return slot < first_normal; }
  const BatchLists& of(Slot slot) const { return is_delegate(slot) ? of_delegates : of_normals; }
  Vertex row_of(Slot slot) const { return is_delegate(slot) ? slot : slot - first_normal; }
  std::uint32_t length(Slot slot) const { return of(slot).length(row_of(slot)); }
};

// Slots that are gone through together; of delegates, those whose lists are alike in length.
struct BatchTile {
  Slot first, last;
  std::uint64_t list;  // what their lists have, in the mean; nothing where that is not counted
};
inline std::vector<BatchTile> tiles_of(const BatchLists& lists, Vertex delegates)
{
  constexpr Slot longest = 256;
  std::vector<BatchTile> tiles;
  for (Slot first = 0, last = 0; first < delegates; first = last) {
    std::uint64_t entries = lists.length(first);
    std::uint64_t const least = (entries + 1) / 2;
    for (last = first + 1; last < delegates && last - first < longest && lists.length(last) >= least; ++last)
      entries += lists.length(last);
    tiles.push_back({first, last, entries / (last - first)});
  }
  return tiles;
}

// A word per slot, and which of them are not zero, unless a pull has written them all.
struct Wave {
  explicit Wave(std::uint64_t slots) : words(slots), queue(slots) {}
  std::span<const Slot> queued() const { return queue.span().first(size.load(std::memory_order_relaxed)); }
  void push_back(std::span<const Slot> slots)
  {
    std::copy(slots.begin(), slots.end(), queue.data() + size.fetch_add(slots.size(), std::memory_order_relaxed));
  }

  void make_queue(Team team)
  {
    if (has_queue) return;
    size = 0;
    has_queue = true;
    team.for_blocks(words.size(), 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
      std::vector<Slot> slots;
      for (std::uint64_t slot = first; slot < last; ++slot)
        if (words[slot] != 0) slots.push_back(static_cast<Slot>(slot));
      push_back(slots);
    });
  }

  // A word may also stand where home_of(slot) says.
  template <typename HomeOf>
  void make_zero(HomeOf&& home_of, Team team)
  {
    if (has_queue) {
      for (Slot const slot : queued()) words[slot] = words[home_of(slot)] = 0;
    } else {
      team.for_blocks(words.size(), 1 << 16,
                      [&](std::uint64_t first, std::uint64_t last, int) { make_zero(first, last); });
    }
    size = 0;
    has_queue = true;
  }
  void make_zero(std::uint64_t first, std::uint64_t last)
  {
    std::fill(words.data() + first, words.data() + last, Word{0});
  }

  Buffer<Word> words;
  Buffer<Slot> queue;
  std::atomic<std::uint64_t> size{0};
  bool has_queue = true;
};

}  // namespace brushfire::cpu
