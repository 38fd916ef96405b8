// A push of a batch of searches, by one thread: it joins words of targets, and queues those that it is the first to
// reach. What of them is new is found out when all lists are done.
#pragma once

#include "traverse/cpu/batch_wave.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <span>

namespace brushfire::cpu {

// Slots that a thread was the first to reach, on their way to the queue, and how it reaches them: alone, or while
// others do the same.
class BatchPush {
 public:
  // `words` are those of the frontier.
  BatchPush(const ListsOfSlots& lists, const Word* words, Wave& next, Word sources, BatchTally& tally)
      : lists_(lists), words_(words), next_(next), sources_(sources), tally_(tally)
  {
  }
  ~BatchPush() { hand_over(); }
  BatchPush(const BatchPush&) = delete;
  BatchPush& operator=(const BatchPush&) = delete;

  template <bool shared>
  void push_slot(Slot slot)
  {
    const BatchLists& lists = lists_.of(slot);
    Vertex const row = lists_.row_of(slot);
    Word const word = words_[slot] & sources_;
    push_range<shared>(lists.to_delegates, lists.to_delegates.row(row), 0, word);
    push_range<shared>(lists.to_normals, lists.to_normals.row(row), lists_.first_normal, word);
  }

  template <bool shared>
  void push_range(const SubgraphView& graph, EntryRange range, Slot first_slot, Word word)
  {
    constexpr EdgeIndex ahead = 16;  // entries whose words are on their way
    for (EdgeIndex e = range.first; e < range.last; ++e) {
      if (e + ahead < range.last) __builtin_prefetch(&next_.words[first_slot + graph.target(e + ahead)], 1);
      Slot const slot = first_slot + graph.target(e);
      Word& joined = next_.words[slot];
      Word before = joined;
      if constexpr (shared) {
        std::atomic_ref<Word> const others(joined);
        before = others.load(std::memory_order_relaxed);
        if ((word & ~before) == 0) continue;
        // Relaxed: the words are read when all threads are done.
        before = others.fetch_or(word, std::memory_order_relaxed);
      } else {
        joined |= word;
      }
      if ((before & sources_) == 0) add(slot);
    }
    tally_.checked += range.size();
  }

 private:
  void add(Slot slot)
  {
    if (count_ == reached_.size()) hand_over();
    reached_[count_++] = slot;
  }
  void hand_over()
  {
    if (count_ != 0) next_.push_back(std::span(reached_).first(count_));
    count_ = 0;
  }

  const ListsOfSlots& lists_;
  const Word* words_;
  Wave& next_;
  Word sources_;
  BatchTally& tally_;
  std::array<Slot, 256> reached_;
  std::size_t count_ = 0;
};

}  // namespace brushfire::cpu
