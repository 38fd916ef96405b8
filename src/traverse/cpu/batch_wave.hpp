// What a batch of searches keeps per slot, and counts in a level: delegates have slots by rank, then all other
// vertices.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "base/fill.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "traverse/batch_stepper.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <array>
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

// The lists of rows.
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

// What slots push: those of delegates have the first rows, those of the other vertices all after them.
struct ListsOfSlots {
  ListsOfSlots(const Layout& layout, Slot first_normal_slot)
      : rows{layout.pushed(Subgraph::dd), layout.pushed(Subgraph::dn)},
        whole(rows.to_delegates),
        delegates(layout.delegates),
        first_normal(first_normal_slot)
  {
    whole.ends = rows.to_normals.ends;
  }

  Vertex row_of(Slot slot) const { return slot < first_normal ? slot : slot - first_normal + delegates; }
  Slot slot_of(Vertex row) const { return row < delegates ? row : row - delegates + first_normal; }
  std::uint32_t length(Slot slot) const { return whole.length(row_of(slot)); }

  // Calls push(graph, entries, first_slot) for what of a piece of a row leads to delegates, and to the others.
  template <typename Push>
  void in_halves(Vertex row, EntryRange piece, Push&& push) const
  {
    // That of an altered file may lie anywhere.
    EdgeIndex const middle = std::clamp(rows.to_normals.row(row).first, piece.first, piece.last);
    push(rows.to_delegates, EntryRange{piece.first, middle}, Slot{0});
    push(rows.to_normals, EntryRange{middle, piece.last}, first_normal);
  }

  // The ends of a list are fetched by who walks it.
  [[gnu::always_inline]] void prefetch_middle(Vertex row) const { __builtin_prefetch(rows.to_normals.starts + row); }

  BatchLists rows;
  SubgraphView whole;  // both runs of a row as one list
  Vertex delegates;
  Slot first_normal;
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
    constexpr std::uint64_t at_a_time = filled_at_a_time<Word>;
    team.for_blocks(words.size(), at_a_time, [&](std::uint64_t first, std::uint64_t last, int) {
      std::array<Slot, at_a_time> slots;
      std::size_t count = 0;
      for (std::uint64_t slot = first; slot < last; ++slot) {
        slots[count] = static_cast<Slot>(slot);
        count += words[slot] != 0;
      }
      push_back(std::span(slots).first(count));
    });
  }

  // A word may also stand where home_of(slot) says.
  template <typename HomeOf>
  void make_zero(HomeOf&& home_of, Team team)
  {
    if (has_queue) {
      for (Slot const slot : queued()) words[slot] = words[home_of(slot)] = 0;
    } else {
      clear_words(words.span(), team);
    }
    size = 0;
    has_queue = true;
  }

  Buffer<Word> words;
  Buffer<Slot> queue;
  std::atomic<std::uint64_t> size{0};
  bool has_queue = true;
};

}  // namespace brushfire::cpu
