// The vertices of one kind as what a level looks for, and what the two ways to discover them, push and pull, say they
// did. Both read the frontier, which does not change, so a level may run several of them one after another in any
// order.
//
// Each vertex is found once: by a push when its visited bit is set, by a pull by the thread that owns its word. Which
// parent wins is unspecified.
#pragma once

#include "base/bits.hpp"
#include "build/layout.hpp"
#include "traverse/cpu/frontier.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace brushfire::cpu {

// The bits of word `w`, which has some, that stand for numbers below `count`.
constexpr Word bits_below(std::uint64_t count, std::uint64_t w)
{
  std::uint64_t const left = count - w * word_bits;
  return left < word_bits ? bit_of(left) - 1 : ~Word{0};
}

// What a kernel did; every thread has its own on its own cache line.
struct alignas(64) Tally {
  std::uint64_t checked = 0;
  std::uint64_t discovered = 0;
  std::uint64_t uncounted = 0;             // of what was discovered: their entries are not among the following
  std::uint64_t entries_to_delegates = 0;  // of what was discovered
  std::uint64_t entries_to_normals = 0;

  void operator+=(const Tally& other)
  {
    checked += other.checked;
    discovered += other.discovered;
    uncounted += other.uncounted;
    entries_to_delegates += other.entries_to_delegates;
    entries_to_normals += other.entries_to_normals;
  }
};

// Of what is found, whose lists are measured, for the size of what it will push: each is a cache miss. The others are
// added up as uncounted, and the mean of those that wait stands for them.
enum class Measured : std::uint8_t {
  none,
  some,  // of many that a push finds one in eight; of what a pull finds none
  all
};

// The vertices of one kind as targets of a search.
template <typename Parent>
struct Targets {
  Word* visited;
  Parent* parents;
  std::int32_t* levels;       // null unless levels are wanted
  SubgraphView to_delegates;  // their own lists; empty where none is measured
  SubgraphView to_normals;
  std::int32_t level;         // of what is being discovered
  const Word* never_waiting;  // vertices marked visited from the start: isolated, or of the other kind
  std::uint64_t count;
  const Word* among = nullptr;  // a pull visits only these; null: all
  Measured measured = Measured::none;

  Word existing(std::uint64_t w) const { return bits_below(count, w); }
  Word unreached(std::uint64_t w) const { return (~visited[w] | never_waiting[w]) & existing(w); }
  void settle(Vertex v, Label parent) const { settle(v, parent, level); }
  void settle(Vertex v, Label parent, std::int32_t on_level) const
  {
    parents[v] = static_cast<Parent>(parent);
    if (levels != nullptr) levels[v] = on_level;
  }
  void count_entries(Vertex v, Tally& tally) const
  {
    tally.entries_to_delegates += to_delegates.length(v);
    tally.entries_to_normals += to_normals.length(v);
  }
};

// Vertices a thread has claimed but not yet handed to the next frontier.
template <typename Parent>
class Claims {
 public:
  Claims(const Targets<Parent>& targets, Frontier& next, Tally& tally, Words words = Words::shared)
      : targets_(targets), next_(next), tally_(tally), words_(words)
  {
  }
  ~Claims() { hand_over(); }
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  void add(Vertex v)
  {
    if (count_ == claimed_.size()) hand_over();
    claimed_[count_++] = v;
  }

  // Places for so many more, at most 256, to write to; then say how many were.
  Vertex* room_for(std::size_t more)
  {
    if (count_ + more > claimed_.size()) hand_over();
    return claimed_.data() + count_;
  }
  void wrote(std::size_t more) { count_ += more; }

 private:
  static constexpr std::size_t many = 256;  // of which some are measured

  void hand_over()
  {
    if (targets_.measured == Measured::none) {
      tally_.uncounted += count_;
    } else {
      // What is not measured may have what the measured lack.
      bool const sampled = targets_.measured == Measured::some && count_ >= many;
      std::uint64_t const one_of = sampled ? 8 : 1, least = sampled ? 1 : 0;
      Tally sample;
      for (std::size_t i = 0; i < count_; i += one_of) targets_.count_entries(claimed_[i], sample);
      tally_.entries_to_delegates += std::max(one_of * sample.entries_to_delegates, least);
      tally_.entries_to_normals += std::max(one_of * sample.entries_to_normals, least);
    }
    tally_.discovered += count_;
    if (count_ != 0) next_.push_back(std::span(claimed_).first(count_), words_);
    count_ = 0;
  }

  const Targets<Parent>& targets_;
  Frontier& next_;
  Tally& tally_;
  Words words_;
  std::array<Vertex, 4 * many> claimed_;  // what all threads write to is the size of the frontier alone
  std::size_t count_ = 0;
};

}  // namespace brushfire::cpu
