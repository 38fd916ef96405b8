// The two ways to discover: push walks the lists of the frontier, pull lets every waiting vertex look for a parent.
//
// Each vertex is settled once: a push by the thread that flips its visited bit, a pull by the thread that owns its
// word. Which parent wins is unspecified. Both read the frontier, which does not change, so a level may run
// several of them one after another in any order.
#pragma once

#include "base/bits.hpp"
#include "base/labels_view.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "traverse/cpu/frontier.hpp"

#include <brushfire/types.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace brushfire::cpu {

// The vertices of one kind as targets of a search.
template <typename Parent>
struct Targets {
  Word* visited;
  Parent* parents;
  std::int32_t* levels;             // null unless levels are wanted
  SubgraphView to_delegates;        // their own lists, for the size of what they will push
  SubgraphView to_normals;
  std::int32_t level;               // of what is being discovered
  const Word* never_waiting;        // vertices marked visited from the start: isolated, or of the other kind
  std::uint64_t count;

  void settle(Vertex v, Label parent) const
  {
    parents[v] = static_cast<Parent>(parent);
    if (levels != nullptr) levels[v] = level;
  }
};

// What a kernel did; every thread has its own on its own cache line.
struct alignas(64) Tally {
  std::uint64_t checked = 0;
  std::uint64_t discovered = 0;
  std::uint64_t entries_to_delegates = 0;  // of what was discovered
  std::uint64_t entries_to_normals = 0;

  void operator+=(const Tally& other)
  {
    checked += other.checked;
    discovered += other.discovered;
    entries_to_delegates += other.entries_to_delegates;
    entries_to_normals += other.entries_to_normals;
  }
};

// Vertices a thread has claimed but not yet handed to the next frontier.
template <typename Parent>
class Claims {
 public:
  Claims(const Targets<Parent>& targets, Frontier& next, Tally& tally) : targets_(targets), next_(next), tally_(tally) {}
  ~Claims() { hand_over(); }
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  void add(Vertex v)
  {
    if (count_ == claimed_.size()) hand_over();
    claimed_[count_++] = v;
  }

 private:
  void hand_over()
  {
    for (std::size_t i = 0; i < count_; ++i) {
      tally_.entries_to_delegates += targets_.to_delegates.length(claimed_[i]);
      tally_.entries_to_normals += targets_.to_normals.length(claimed_[i]);
    }
    tally_.discovered += count_;
    if (count_ != 0) next_.push_back(std::span(claimed_).first(count_));
    count_ = 0;
  }

  const Targets<Parent>& targets_;
  Frontier& next_;
  Tally& tally_;
  std::array<Vertex, 256> claimed_;
  std::size_t count_ = 0;
};

template <typename Parent, bool shared>
void push_range(const SubgraphView& graph, EntryRange range, Label parent, const Targets<Parent>& targets,
                Claims<Parent>& claims, Tally& tally)
{
  for (EdgeIndex e = range.first; e < range.last; ++e) {
    Vertex const v = graph.target(e);
    if constexpr (shared) {
      // Looking first keeps the line shared: most targets of a wide frontier are visited already.
      if (test_bit_shared(targets.visited, v) || !claim_bit(targets.visited, v)) continue;
    } else {
      if (test_bit(targets.visited, v)) continue;
      set_bit(targets.visited, v);
    }
    targets.settle(v, parent);
    claims.add(v);
  }
  tally.checked += range.size();
}

// `entries` is the length of all lists of the queue: little work is done on the spot by one thread.
template <typename Parent>
void push(const SubgraphView& graph, std::span<const Vertex> queue, std::uint64_t entries, LabelsView labels,
          const Targets<Parent>& targets, Frontier& next, std::span<Tally> tallies, Team team)
{
  constexpr std::uint64_t worth_sharing = 4096;    // entries; a parallel region costs about as much as a thousand
  constexpr std::uint64_t long_list = 8192;        // entries; longer lists are walked by all threads together
  constexpr std::uint64_t entries_per_block = 2048;
  if (entries < worth_sharing || team.threads == 1) {
    Claims<Parent> claims(targets, next, tallies[0]);
    for (Vertex const u : queue) push_range<Parent, false>(graph, graph.row(u), labels(u), targets, claims, tallies[0]);
    return;
  }
  std::vector<std::vector<Vertex>> long_lists(static_cast<std::size_t>(team.threads));
  std::uint64_t const lists_per_block = std::clamp<std::uint64_t>(queue.size() * entries_per_block / entries, 1, 1024);
  team.for_blocks(queue.size(), lists_per_block, [&](std::uint64_t first, std::uint64_t last, int thread) {
    Tally& tally = tallies[static_cast<std::size_t>(thread)];
    Claims<Parent> claims(targets, next, tally);
    for (std::uint64_t i = first; i < last; ++i) {
      EntryRange const row = graph.row(queue[i]);
      if (row.size() > long_list)
        long_lists[static_cast<std::size_t>(thread)].push_back(queue[i]);
      else
        push_range<Parent, true>(graph, row, labels(queue[i]), targets, claims, tally);
    }
  });
  for (auto const& lists : long_lists)
    for (Vertex const u : lists) {
      EntryRange const row = graph.row(u);
      team.for_blocks(row.size(), entries_per_block, [&](std::uint64_t first, std::uint64_t last, int thread) {
        Tally& tally = tallies[static_cast<std::size_t>(thread)];
        Claims<Parent> claims(targets, next, tally);
        push_range<Parent, true>(graph, {row.first + first, row.first + last}, labels(u), targets, claims, tally);
      });
    }
}

// One list of each waiting vertex, and the frontier bits its entries are looked up in; not asked when `frontier` is null.
struct PullList {
  SubgraphView rows;
  const Word* frontier = nullptr;
  LabelsView labels;

  // The first entry of v's list that is in the frontier, or no_vertex.
  Vertex find_parent(Vertex v, std::uint64_t& checked) const
  {
    EntryRange const row = rows.row(v);
    for (EdgeIndex e = row.first; e < row.last; ++e) {
      Vertex const u = rows.target(e);
      if (test_bit(frontier, u)) {
        checked += e + 1 - row.first;
        return u;
      }
    }
    checked += row.size();
    return no_vertex;
  }
};

// Every waiting vertex asks its list of delegates, whose first entries are the greatest hubs, then its normal neighbours.
// With `clear_rest` everything that is still waiting, or never was, gets parent -1 on the way: the lines are at hand.
template <typename Parent>
void pull(const PullList& delegates, const PullList& normals, const Targets<Parent>& targets, bool clear_rest,
          Frontier& next, std::span<Tally> tallies, Team team)
{
  constexpr std::uint64_t words_per_block = 128;
  Word* const next_bits = next.begin_bits();
  const PullList& first_asked = delegates.frontier != nullptr ? delegates : normals;
  team.for_blocks(words_for(targets.count), words_per_block, [&](std::uint64_t first, std::uint64_t last, int thread) {
    Tally tally;
    for (std::uint64_t w = first; w < last; ++w) {
      std::uint64_t const first_vertex = w * word_bits;
      Word const inside = targets.count - first_vertex < word_bits ? bit_of(targets.count) - 1 : ~Word{0};
      Word const waiting = ~targets.visited[w] & inside;
      Word found = 0;
      for_each_bit(waiting, first_vertex, [&](std::uint64_t v) {
        __builtin_prefetch(first_asked.rows.targets + first_asked.rows.row(static_cast<Vertex>(v)).first);
      });
      for_each_bit(waiting, first_vertex, [&](std::uint64_t index) {
        auto const v = static_cast<Vertex>(index);
        Label parent = no_label;
        if (delegates.frontier != nullptr)
          if (Vertex const u = delegates.find_parent(v, tally.checked); u != no_vertex) parent = delegates.labels(u);
        if (parent == no_label && normals.frontier != nullptr)
          if (Vertex const u = normals.find_parent(v, tally.checked); u != no_vertex) parent = normals.labels(u);
        if (parent == no_label) return;
        targets.settle(v, parent);
        found |= bit_of(index);
        tally.entries_to_delegates += targets.to_delegates.length(v);
        tally.entries_to_normals += targets.to_normals.length(v);
      });
      next_bits[w] = found;
      targets.visited[w] |= found;
      tally.discovered += static_cast<std::uint64_t>(std::popcount(found));
      if (clear_rest)
        for_each_bit(((waiting & ~found) | targets.never_waiting[w]) & inside, first_vertex,
                     [&](std::uint64_t v) { targets.parents[v] = static_cast<Parent>(no_label); });
    }
    next.add_found(tally.discovered);
    tallies[static_cast<std::size_t>(thread)] += tally;
  });
}

}  // namespace brushfire::cpu
