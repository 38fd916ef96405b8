// The vertices of one kind (delegate or normal) that a level expands: a queue, bits, or both. A push produces and
// consumes queues, a pull bits; each form is made from the other only when somebody asks for it.
//
// Bits are all zero except while they hold a frontier, so a queue of ten vertices never costs a pass over all bits.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "base/parallel.hpp"

#include <brushfire/trace.hpp>
#include <brushfire/types.hpp>

#include <atomic>
#include <cstdint>
#include <span>

namespace brushfire::cpu {

// Whose the words are that bits are set in.
enum class Words : std::uint8_t { shared, of_one_thread };

class Frontier {
 public:
  Frontier() = default;
  Frontier(Vertex vertices, Team team);

  void clear();
  void start_with(Vertex vertex);  // a frontier of one

  std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }

  // Consuming.
  std::span<const Vertex> queue();   // makes the queue if there are only bits
  const Word* bits();                // makes the bits if there is only a queue
  FrontierQueue how_queued() const;  // none, also of an empty one

  // Calls body(v) for every vertex that is in `filter` too.
  template <typename Body>
  void for_each(const Word* filter, Body&& body) const
  {
    if (has_queue() && (!has_bits_ || size() < words_)) {
      in_queue(0, size(), [&](Vertex v) {
        if (test_bit(filter, v)) body(v);
      });
    } else {
      for (std::uint64_t w = 0; w < words_; ++w)
        for_each_bit(bits_[w] & filter[w], w * word_bits, [&](std::uint64_t v) { body(static_cast<Vertex>(v)); });
    }
  }

  // Calls body(v) for every vertex, by all threads.
  template <typename Body>
  void for_each(Body&& body) const
  {
    sum([&](Vertex v) {
      body(v);
      return 0u;
    });
  }
  // What value_of(v) is for all vertices together.
  template <typename Value>
  std::uint64_t sum(Value&& value_of) const
  {
    constexpr std::uint64_t vertices_per_block = 1 << 12, words_per_block = 256;
    std::uint64_t all = 0;
    if (has_queue() && size() <= vertices_per_block) {
      in_queue(0, size(), [&](Vertex v) { all += value_of(v); });
      return all;
    }
    std::uint64_t const count = has_queue() ? size() : words_;
    team_.for_blocks(count, has_queue() ? vertices_per_block : words_per_block,
                     [&](std::uint64_t first, std::uint64_t last, int) {
                       std::uint64_t sum = 0;
                       auto const add = [&](Vertex v) { sum += value_of(v); };
                       has_queue() ? in_queue(first, last, add) : in_words(first, last, add);
                       std::atomic_ref(all).fetch_add(sum, std::memory_order_relaxed);
                     });
    return all;
  }

  // Producing by pull: every word is added to by its owner; afterwards say how many were found.
  Word* begin_bits();
  void add_found(std::uint64_t count) { size_.fetch_add(count, std::memory_order_relaxed); }

  // Producing by one thread alone, before anybody else: into the queue from its start; afterwards say how many.
  Vertex* empty_queue() { return queue_.data(); }

  // Producing from another: those of its `count` vertices from `first` on, as vertices from `as` on, none of which is
  // here yet. Both are multiples of 64.
  void add_part(const Frontier& from, Vertex first, Vertex count, Vertex as);

  void keep_bits_only();  // to which many are added sooner

  // Producing by one thread alone, into every form there is: 64 vertices of which those in `added` are not here yet.
  void add_word(std::uint64_t w, Word added);

  // Producing by push, from many threads: into every form there is, the queue unless a pull was here before. Bits are
  // cheapest where the words of what is found are at hand, and no other thread's.
  void add_bits();
  void push_back(std::span<const Vertex> found, Words words = Words::shared);

 private:
  bool has_queue() const { return queued_ != FrontierQueue::none; }
  void make_queue();
  void set_bits(std::span<const Vertex> vertices, Words words);

  template <typename Body>
  void in_queue(std::uint64_t first, std::uint64_t last, Body&& body) const
  {
    for (std::uint64_t i = first; i < last; ++i) body(queue_[i]);
  }
  template <typename Body>
  void in_words(std::uint64_t first, std::uint64_t last, Body&& body) const
  {
    for (std::uint64_t w = first; w < last; ++w)
      for_each_bit(bits_[w], w * word_bits, [&](std::uint64_t v) { body(static_cast<Vertex>(v)); });
  }

  Team team_;
  Buffer<Vertex> queue_;
  Buffer<Word> bits_;
  std::uint64_t words_ = 0;
  FrontierQueue queued_ = FrontierQueue::scan_free;  // how its queue was made; none: there are only bits
  bool has_bits_ = false;
  alignas(64) std::atomic<std::uint64_t> size_{0};  // written by all threads while they read the rest
};

// Of two frontiers: none unless one has a queue, and single-scan if one had to be scanned for.
inline FrontierQueue joined(FrontierQueue one, FrontierQueue other)
{
  for (FrontierQueue const queue : {FrontierQueue::single_scan, FrontierQueue::scan_free})
    if (one == queue || other == queue) return queue;
  return FrontierQueue::none;
}

}  // namespace brushfire::cpu
