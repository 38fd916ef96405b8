// A push of a batch of searches, by one thread: it joins words of targets. What of them is new is found out when all
// lists are done. Where a level reaches few targets they are queued; where it reaches many, all slots are looked
// through afterwards, which is less than queueing them.
#pragma once

#include "traverse/cpu/batch_wave.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <span>

namespace brushfire::cpu {

// Slots that a thread was the first to reach, on their way to the queue, and how it reaches them: alone, or while
// others do the same.
template <bool shared>
class QueueingPush {
 public:
  // `words` are those of the frontier.
  QueueingPush(const ListsOfSlots& lists, const Word* words, Wave& next, Word sources, BatchTally& tally)
      : lists_(lists), words_(words), next_(next), sources_(sources), tally_(tally)
  {
  }
  ~QueueingPush() { hand_over(); }
  QueueingPush(const QueueingPush&) = delete;
  QueueingPush& operator=(const QueueingPush&) = delete;

  // A row, or a piece of it.
  void operator()(EntryRange piece, Vertex row)
  {
    Word const word = words_[lists_.slot_of(row)] & sources_;
    lists_.in_halves(row, piece, [&](const SubgraphView& graph, EntryRange range, Slot first_slot) {
      push_range(graph, range, first_slot, word);
    });
    tally_.checked += piece.size();
  }

 private:
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
  }

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

// Queues nothing. Words of delegates may be the thread's own, to be joined with those of others later: most entries
// lead to delegates, and an atomic operation costs several times what the entry does.
template <bool delegates_shared, bool normals_shared>
class JoiningPush {
 public:
  // `words` are those of the frontier.
  JoiningPush(const ListsOfSlots& lists, const Word* words, Word* delegates, Word* normals, Word sources,
              BatchTally& tally)
      : lists_(lists), words_(words), delegates_(delegates), normals_(normals), sources_(sources), tally_(tally)
  {
  }

  // A row, or a piece of it.
  void operator()(EntryRange piece, Vertex row)
  {
    Word const word = words_[lists_.slot_of(row)] & sources_;
    lists_.in_halves(row, piece, [&](const SubgraphView& graph, EntryRange range, Slot first_slot) {
      if (first_slot == 0)
        join<delegates_shared>(graph, range, delegates_, word);
      else
        join<normals_shared>(graph, range, normals_, word);
    });
    tally_.checked += piece.size();
  }

 private:
  template <bool shared>
  static void join(const SubgraphView& graph, EntryRange range, Word* words, Word word)
  {
    constexpr EdgeIndex ahead = 16;  // entries whose words are on their way
    for (EdgeIndex e = range.first; e < range.last; ++e) {
      if (e + ahead < range.last) __builtin_prefetch(&words[graph.target(e + ahead)], 1);
      Word& joined = words[graph.target(e)];
      if constexpr (shared)
        // Relaxed: the words are read when all threads are done. Without asking what was there before, which a
        // processor cannot answer in one instruction.
        std::atomic_ref<Word>(joined).fetch_or(word, std::memory_order_relaxed);
      else
        joined |= word;
    }
  }

  const ListsOfSlots& lists_;
  const Word* words_;
  Word* delegates_;
  Word* normals_;
  Word sources_;
  BatchTally& tally_;
};

}  // namespace brushfire::cpu
