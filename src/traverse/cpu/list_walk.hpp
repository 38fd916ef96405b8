// Walking the lists of a frontier, whatever is done along them: by one thread, with the lines of lists to come on their
// way, or by all threads. Then a list is the work of one of them, and a long one of all (by granularity, Merrill).
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace brushfire::cpu {

// Whose lines are on their way while others are walked; about what a core can have.
constexpr std::size_t lists_ahead = 16;
constexpr std::uint64_t worth_sharing = 4096;  // entries; a parallel region costs about as much as a thousand

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

// Walks lists by all threads, without allocating.
class ListWalk {
 public:
  // With room for the long ones among lists of so many entries.
  ListWalk(std::uint64_t entries, Team team)
      : team_(team), long_lists_(team.threads == 1 ? 0 : entries / long_list + 1), ends_(long_lists_.size())
  {
  }

  // Little is walked by one thread.
  Team team_for(std::uint64_t lists, std::uint64_t entries) const
  {
    return lists + entries < worth_sharing ? Team{1} : team_;
  }

  // Walks `count` lists of about so many entries. sources(first, last, room) gives some of them as a span, for which
  // there is room; walker_for(thread) makes what a thread calls as walker(list, source), of a long list with pieces.
  template <typename Sources, typename WalkerFor>
  void run(const SubgraphView& graph, std::uint64_t count, std::uint64_t entries, Sources&& sources,
           WalkerFor&& walker_for)
  {
    Team const team = team_for(count, entries);
    long_count_.store(0, std::memory_order_relaxed);
    std::uint64_t const lists_per_block = std::clamp<std::uint64_t>(
        count * entries_at_a_time(entries, team) / std::max<std::uint64_t>(entries, 1), 1, most_at_a_time);
    team.for_blocks(count, lists_per_block, [&](std::uint64_t first, std::uint64_t last, int thread) {
      auto walker = walker_for(thread);
      std::array<Vertex, most_at_a_time> room;
      walk_in_turn(graph, sources(first, last, room.data()), [&](EntryRange list, Vertex source) {
        if (list.size() <= long_list || team.threads == 1 || !left_for_all(source)) walker(list, source);
      });
    });
    walk_long_lists(graph, team, walker_for);
  }

  // The same of a queue.
  template <typename WalkerFor>
  void run(const SubgraphView& graph, std::span<const Vertex> queue, std::uint64_t entries, WalkerFor&& walker_for)
  {
    auto const part = [&](std::uint64_t first, std::uint64_t last, Vertex*) {
      return queue.subspan(first, last - first);
    };
    run(graph, queue.size(), entries, part, walker_for);
  }

 private:
  static constexpr std::uint64_t long_list = 8192;       // entries
  static constexpr std::uint64_t most_at_a_time = 1024;  // lists

  // Much, which costs least, unless some thread would get none of it.
  static std::uint64_t entries_at_a_time(std::uint64_t entries, Team team)
  {
    return std::clamp<std::uint64_t>(entries / (8 * static_cast<std::uint64_t>(team.threads)), 1024, 4096);
  }

  // False where there is no room: lists of an altered file may overlap, and be more than their entries.
  bool left_for_all(Vertex source)
  {
    std::uint64_t const place = long_count_.fetch_add(1, std::memory_order_relaxed);
    if (place < long_lists_.size()) long_lists_[place] = source;
    return place < long_lists_.size();
  }

  // One behind the other, by all threads: a loop for each would cost as much as some thousand entries.
  template <typename WalkerFor>
  void walk_long_lists(const SubgraphView& graph, Team team, WalkerFor&& walker_for)
  {
    auto const lists = long_lists_.span().first(std::min(long_count_.load(), long_lists_.size()));
    std::uint64_t entries = 0;
    for (std::size_t i = 0; i < lists.size(); ++i) ends_[i] = entries += graph.row(lists[i]).size();
    team.for_blocks(entries, entries_at_a_time(entries, team), [&](std::uint64_t at, std::uint64_t last, int thread) {
      auto walker = walker_for(thread);
      for (auto i =
               static_cast<std::size_t>(std::upper_bound(ends_.data(), ends_.data() + lists.size(), at) - ends_.data());
           at < last; ++i) {
        EntryRange const list = graph.row(lists[i]);
        std::uint64_t const passed = i == 0 ? 0 : ends_[i - 1], stop = std::min(last, ends_[i]);
        walker(EntryRange{list.first + (at - passed), list.first + (stop - passed)}, lists[i]);
        at = stop;
      }
    });
  }

  Team team_;
  Buffer<Vertex> long_lists_;   // met in this walk
  Buffer<std::uint64_t> ends_;  // of these, when they stand one behind the other
  std::atomic<std::uint64_t> long_count_{0};
};

}  // namespace brushfire::cpu
