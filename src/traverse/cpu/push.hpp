// A push: the lists of the frontier are walked, and what they lead to is found unless it was visited.
//
// Random writes to lines that another core has written last cost more than all else, and most where cores share no
// cache. So threads settle targets of their own each. Of long lists that are sorted by target a thread walks the
// stretches that lead to a part of the targets. Otherwise threads note what they meet in bins by target, and settle the
// bins afterwards, each bin by one thread: what is noted was not visited when the lists began to be walked, so any
// finding of a vertex may be its parent, and the last one stays, without a branch.
#pragma once

#include "base/bits.hpp"
#include "base/labels_view.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "traverse/cpu/finding_bins.hpp"
#include "traverse/cpu/frontier.hpp"
#include "traverse/cpu/list_walk.hpp"
#include "traverse/cpu/targets.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace brushfire::cpu {

// Whether lists are sorted by target, as those of a Layout are.
enum class ListOrder : std::uint8_t { any, sorted };

// What a push by several threads needs, made once.
struct PushRoom {
  FindingBins bins;
  ListWalk lists;
};

template <typename Parent>
struct Push {
  SubgraphView graph;
  LabelsView labels;  // of sources
  const Targets<Parent>& targets;
  PushRoom& room;
  Frontier& next;
  std::span<Tally> tallies;
  Team team;

  // `entries` is the length of all lists of the queue: little work is done on the spot by one thread.
  void run(std::span<const Vertex> queue, std::uint64_t entries, ListOrder order) const
  {
    // A pull will want the bits, whose words are at hand now.
    if (entries >= words_for(targets.count)) next.add_bits();
    std::uint64_t const parts = order == ListOrder::sorted ? parts_for(queue.size(), entries) : 1;
    if (parts > 1)
      by_parts(queue, parts);
    else if (entries < worth_sharing || team.threads == 1)
      by_one(queue);
    else
      by_bins(queue, entries);
  }

 private:
  using TargetClaims = Claims<Parent>;

  Tally& tally_of(int thread) const { return tallies[static_cast<std::size_t>(thread)]; }

  // Into how many parts of the targets long lists are cut: some for each thread, if stretches stay long enough. One
  // thread gains by them too, because what a part writes to stays in its cache.
  std::uint64_t parts_for(std::uint64_t lists, std::uint64_t entries) const
  {
    constexpr std::uint64_t shortest_stretch = 64, parts_per_thread = 8;
    auto const threads = static_cast<std::uint64_t>(team.threads);
    std::uint64_t const parts = entries / (lists + 1) / shortest_stretch;
    return entries < worth_sharing || parts < threads ? 1 : std::min(parts, parts_per_thread * threads);
  }

  void by_one(std::span<const Vertex> queue) const
  {
    TargetClaims claims(targets, next, tallies[0], Words::of_one_thread);
    walk_in_turn(graph, queue, [&](EntryRange list, Vertex source) {
      Label const parent = labels(source);
      for (EdgeIndex e = list.first; e < list.last; ++e) {
        Vertex const v = graph.target(e);
        if (test_bit(targets.visited, v)) continue;
        set_bit(targets.visited, v);
        targets.settle(v, parent);
        claims.add(v);
      }
      tallies[0].checked += list.size();
    });
  }

  void by_parts(std::span<const Vertex> queue, std::uint64_t parts) const
  {
    constexpr std::uint64_t line = 64 * 8;  // of bits, which no two parts share
    team.for_blocks(targets.count, (targets.count / parts / line + 1) * line,
                    [&](std::uint64_t first, std::uint64_t last, int thread) {
                      TargetClaims claims(targets, next, tally_of(thread), Words::of_one_thread);
                      for (Vertex const source : queue) push_stretch(source, first, last, claims, tally_of(thread));
                    });
  }

  // What a list has from target `first` to before `last`. That of an altered file, which is not sorted, may have others
  // there, which are passed over.
  void push_stretch(Vertex source, std::uint64_t first, std::uint64_t last, TargetClaims& claims, Tally& tally) const
  {
    constexpr std::ptrdiff_t batch = 256;
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

  void by_bins(std::span<const Vertex> queue, std::uint64_t entries) const
  {
    // Half of the room for what fills it on average.
    FindingBins& bins = room.bins;
    std::uint64_t const rounds = entries / (bins.room() / 2) + 1;
    std::uint64_t const per_round = queue.size() / rounds + 1;
    for (std::uint64_t first = 0; first < queue.size(); first += per_round) {
      auto const some = queue.subspan(first, std::min<std::uint64_t>(per_round, queue.size() - first));
      bins.begin(targets.count, entries / rounds);
      room.lists.run(graph, some, entries / rounds + 1, [&](int thread) {
        Word* const noted = bins.enter(thread, targets.visited);
        return [this, thread, noted](EntryRange list, Vertex source) {
          if (noted != nullptr)
            note<true>(list, source, noted, thread);
          else
            note<false>(list, source, noted, thread);
        };
      });
      team.for_blocks(bins.parts(), 1, [&](std::uint64_t part, std::uint64_t, int thread) {
        TargetClaims claims(targets, next, tally_of(thread), Words::of_one_thread);
        settle(part, claims);
      });
    }
  }

  // Where no room is left in the bins a target is claimed at once, as long as others only look at its bit.
  template <bool once>
  void note(EntryRange list, Vertex source, Word* noted, int thread) const
  {
    for (EdgeIndex e = list.first; e < list.last; ++e) {
      Vertex const v = graph.target(e);
      bool const known = once ? test_bit(noted, v) : test_bit_shared(targets.visited, v);
      if (once) set_bit(noted, v);
      if (Finding** const place = room.bins.place_for(v, thread)) [[likely]] {
        Finding* const end = *place;
        __builtin_prefetch(end + 8, 1);
        *end = {v, source};
        *place = end + !known;
      } else if (!known && claim_bit(targets.visited, v)) {
        targets.settle(v, labels(source));
        TargetClaims(targets, next, tally_of(thread)).add(v);
      }
    }
    tally_of(thread).checked += list.size();
  }

  void settle(std::uint64_t part, TargetClaims& claims) const
  {
    constexpr std::size_t ahead = 16;
    room.bins.for_each_run(part, [&](std::span<const Finding> run) {
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
};

}  // namespace brushfire::cpu
