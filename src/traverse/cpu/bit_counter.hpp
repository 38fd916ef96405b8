// Counts for each of 64 positions in how many words its bit is set: binary counters side by side, digit k of all of
// them in one word, eight such counters in a vector. Words go through full adders (Harley and Seal), so that adding one
// takes a few operations and no guess, where adding its bits one by one takes one for each.
#pragma once

#include "base/bits.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace brushfire::cpu {

class BitCounter {
 public:
  static constexpr std::uint64_t most_words = 4096;  // that may be added

  void add(std::span<const Word> words);
  void add(Word word)
  {
    waiting_[count_++] = word;
    if (count_ == waiting_.size()) add_waiting();
  }

  // And starts again.
  void add_to(std::array<std::uint64_t, word_bits>& counts);

 private:
  static constexpr std::size_t lanes = 8;
  using Words = std::array<Word, lanes>;
  // Each lane gets an eighth of the words, and some that were added to fill up.
  using Digits = std::array<Words, std::bit_width(most_words / lanes) + 1>;

  static void add_words(Digits& digits, const Word* words, std::size_t count);
  void add_waiting();

  Digits digits_{};
  std::array<Word, 64> waiting_;
  std::size_t count_ = 0;
};

}  // namespace brushfire::cpu
