// A push: the lists of the frontier are walked, and what they lead to is found unless it was visited.
//
// By one thread, each target is claimed and settled as it is met. Random writes to lines that another core has written
// last cost more than all else, and most where cores share no cache; so several threads settle targets of their own
// each. Of long lists that are sorted by target a thread walks the stretches that lead to a part of the targets.
// Otherwise threads note what they meet in bins by target, and settle the bins afterwards, each bin by one thread. As
// nobody writes while lists are walked, all findings are of vertices that were not visited before, and any of them may
// be the parent: the last one stays, without a branch.
#pragma once

#include "base/bits.hpp"
#include "base/labels_view.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "traverse/cpu/finding_bins.hpp"
#include "traverse/cpu/frontier.hpp"
#include "traverse/cpu/kernels.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace brushfire::cpu {

// Both ends of a list that will be walked to its end: of short lists many lie on two lines. As numbers: an empty list,
// or that of an altered file, may lie nowhere, which is no place for a pointer, and harmless to fetch.
[[gnu::always_inline]] inline void prefetch_list(const SubgraphView& graph, Vertex v)
{
  auto const first = reinterpret_cast<std::uintptr_t>(graph.targets) + graph.start(v) * sizeof(Vertex);
  __builtin_prefetch(reinterpret_cast<const void*>(first));
  __builtin_prefetch(reinterpret_cast<const void*>(first + graph.length(v) * sizeof(Vertex) - sizeof(Vertex)));
}

// Calls walk(list, source) for some of a queue, one after the other.
template <typename Walk>
void walk_in_turn(const SubgraphView& graph, std::span<const Vertex> queue, Walk&& walk)
{
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (i + 2 * lists_ahead < queue.size()) graph.prefetch_row(queue[i + 2 * lists_ahead]);
    if (i + lists_ahead < queue.size()) prefetch_list(graph, queue[i + lists_ahead]);
    walk(graph.row(queue[i]), queue[i]);
  }
}

// Calls walk(list, source, thread) for all of the queue by all threads, long lists in pieces. `entries` is the length
// of all lists.
template <typename Walk>
void walk_together(const SubgraphView& graph, std::span<const Vertex> queue, std::uint64_t entries, Team team,
                   Walk&& walk)
{
  constexpr std::uint64_t long_list = 8192;
  constexpr std::uint64_t entries_per_block = 1024;
  struct Stretch {
    EntryRange range;
    Vertex source;
  };
  std::vector<std::vector<Vertex>> long_lists(static_cast<std::size_t>(team.threads));
  std::uint64_t const lists_per_block = std::clamp<std::uint64_t>(queue.size() * entries_per_block / entries, 1, 1024);
  team.for_blocks(queue.size(), lists_per_block, [&](std::uint64_t first, std::uint64_t last, int thread) {
    walk_in_turn(graph, queue.subspan(first, last - first), [&](EntryRange list, Vertex source) {
      if (list.size() > long_list)
        long_lists[static_cast<std::size_t>(thread)].push_back(source);
      else
        walk(list, source, thread);
    });
  });
  std::vector<Stretch> stretches;
  for (auto const& lists : long_lists)
    for (Vertex const u : lists)
      for (EntryRange rest = graph.row(u); rest.size() != 0;) {
        EdgeIndex const last = std::min(rest.first + entries_per_block, rest.last);
        stretches.push_back({{std::exchange(rest.first, last), last}, u});
      }
  team.for_blocks(stretches.size(), 1, [&](std::uint64_t i, std::uint64_t, int thread) {
    walk(stretches[i].range, stretches[i].source, thread);
  });
}

template <typename Parent>
void push_by_one(const SubgraphView& graph, std::span<const Vertex> queue, LabelsView labels,
                 const Targets<Parent>& targets, Frontier& next, Tally& tally)
{
  Claims<Parent> claims(targets, next, tally, Words::of_one_thread);
  walk_in_turn(graph, queue, [&](EntryRange list, Vertex source) {
    Label const parent = labels(source);
    for (EdgeIndex e = list.first; e < list.last; ++e) {
      Vertex const v = graph.target(e);
      if (test_bit(targets.visited, v)) continue;
      set_bit(targets.visited, v);
      targets.settle(v, parent);
      claims.add(v);
    }
    tally.checked += list.size();
  });
}

// All lists of the queue, but only what they have from target `first` to before `last`. A list of an altered file,
// which is not sorted, may have others there, which are passed over.
template <typename Parent>
void push_to_part(const SubgraphView& graph, std::span<const Vertex> queue, std::uint64_t first, std::uint64_t last,
                  LabelsView labels, const Targets<Parent>& targets, Claims<Parent>& claims, Tally& tally)
{
  constexpr std::ptrdiff_t batch = 256;
  for (Vertex const source : queue) {
    EntryRange const list = graph.row(source);
    const Vertex* const end = graph.targets + list.last;
    const Vertex* at = std::lower_bound(graph.targets + list.first, end, first,
                                        [&](Vertex v, std::uint64_t bound) { return (v & graph.target_mask) < bound; });
    const Vertex* const start = at;
    Label const parent = labels(source);
    for (bool more = true; more;) {
      const Vertex* const stop = at + std::min(end - at, batch);
      Vertex* const found = claims.room_for(batch);
      std::size_t count = 0;
      for (; at < stop; ++at) {
        Vertex const v = *at & graph.target_mask;
        if (v >= last) break;
        if (v < first) continue;
        Word& word = targets.visited[v / word_bits];
        found[count] = v;
        count += (word & bit_of(v)) == 0;
        word |= bit_of(v);
      }
      more = at == stop && at < end;
      for (std::size_t i = 0; i < count; ++i) targets.settle(found[i], parent);
      claims.wrote(count);
    }
    tally.checked += static_cast<std::uint64_t>(at - start);
  }
}

// Where no room is left in the bins a target is claimed at once, as long as others only look at its bit.
template <bool once, typename Parent>
void note_targets(const SubgraphView& graph, EntryRange list, Vertex source, LabelsView labels,
                  const Targets<Parent>& targets, Word* noted, FindingBins& bins, Frontier& next, Tally& tally,
                  int thread)
{
  for (EdgeIndex e = list.first; e < list.last; ++e) {
    Vertex const v = graph.target(e);
    bool const known = once ? test_bit(noted, v) : test_bit_shared(targets.visited, v);
    if (once) set_bit(noted, v);
    if (Finding** const place = bins.place_for(v, thread)) [[likely]] {
      Finding* const end = *place;
      __builtin_prefetch(end + 8, 1);
      *end = {v, source};
      *place = end + !known;
    } else if (!known && claim_bit(targets.visited, v)) {
      targets.settle(v, labels(source));
      Claims<Parent>(targets, next, tally).add(v);
    }
  }
  tally.checked += list.size();
}

template <typename Parent>
void settle_part(std::uint64_t part, LabelsView labels, const Targets<Parent>& targets, const FindingBins& bins,
                 Claims<Parent>& claims)
{
  constexpr std::size_t ahead = 16;
  bins.for_each_run(part, [&](std::span<const Finding> run) {
    Vertex* const found = claims.room_for(run.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < run.size(); ++i) {
      if (i + ahead < run.size()) __builtin_prefetch(targets.parents + run[i + ahead].target, 1);
      Vertex const v = run[i].target;
      Word& word = targets.visited[v / word_bits];
      found[count] = v;
      count += (word & bit_of(v)) == 0;
      word |= bit_of(v);
      targets.settle(v, labels(run[i].source));
    }
    claims.wrote(count);
  });
}

constexpr std::uint64_t worth_sharing = 4096;  // entries; a parallel region costs about as much as a thousand

// `entries` is the length of all lists of the queue: little work is done on the spot by one thread.
template <typename Parent>
void push(const SubgraphView& graph, std::span<const Vertex> queue, std::uint64_t entries, LabelsView labels,
          const Targets<Parent>& targets, FindingBins& bins, Frontier& next, std::span<Tally> tallies, Team team)
{
  // A pull will want the bits, whose words are at hand now.
  if (entries >= words_for(targets.count)) next.add_bits();
  if (entries < worth_sharing || team.threads == 1) return push_by_one(graph, queue, labels, targets, next, tallies[0]);
  // Half of the room for what fills it on average.
  std::uint64_t const rounds = entries / (bins.room() / 2) + 1;
  std::uint64_t const per_round = queue.size() / rounds + 1;
  for (std::uint64_t first = 0; first < queue.size(); first += per_round) {
    auto const some = queue.subspan(first, std::min<std::uint64_t>(per_round, queue.size() - first));
    bins.begin(targets.count);
    walk_together(graph, some, entries / rounds + 1, team, [&](EntryRange list, Vertex source, int thread) {
      Tally& tally = tallies[static_cast<std::size_t>(thread)];
      if (Word* const noted = bins.noted_by(thread, targets.visited))
        note_targets<true>(graph, list, source, labels, targets, noted, bins, next, tally, thread);
      else
        note_targets<false>(graph, list, source, labels, targets, noted, bins, next, tally, thread);
    });
    team.for_blocks(bins.parts(), 1, [&](std::uint64_t part, std::uint64_t, int thread) {
      Claims<Parent> claims(targets, next, tallies[static_cast<std::size_t>(thread)], Words::of_one_thread);
      settle_part(part, labels, targets, bins, claims);
    });
  }
}

// The same for lists that are sorted by target, as those of a Layout are.
template <typename Parent>
void push_sorted(const SubgraphView& graph, std::span<const Vertex> queue, std::uint64_t entries, LabelsView labels,
                 const Targets<Parent>& targets, FindingBins& bins, Frontier& next, std::span<Tally> tallies, Team team)
{
  constexpr std::uint64_t shortest_stretch = 64, parts_per_thread = 8;
  constexpr std::uint64_t line = 64 * 8;  // of bits, which no two parts share
  auto const threads = static_cast<std::uint64_t>(team.threads);
  std::uint64_t const parts = entries / (queue.size() + 1) / shortest_stretch;
  if (entries < worth_sharing || parts < std::max<std::uint64_t>(threads, 2))
    return push(graph, queue, entries, labels, targets, bins, next, tallies, team);
  if (entries >= words_for(targets.count)) next.add_bits();
  std::uint64_t const part = (targets.count / std::min(parts, parts_per_thread * threads) / line + 1) * line;
  team.for_blocks(targets.count, part, [&](std::uint64_t first, std::uint64_t last, int thread) {
    Tally& tally = tallies[static_cast<std::size_t>(thread)];
    Claims<Parent> claims(targets, next, tally, Words::of_one_thread);
    push_to_part(graph, queue, first, last, labels, targets, claims, tally);
  });
}

}  // namespace brushfire::cpu
