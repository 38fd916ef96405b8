// Counts for each of 64 positions in how many words its bit is set: 64 binary counters side by side, digit k of all of
// them in one word. Eight words at a time go through full adders (Harley and Seal), so that adding a word takes a few
// operations and no guess, where adding its bits one by one takes one for each.
#pragma once

#include "base/bits.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace brushfire::cpu {

class BitCounter {
 public:
  static constexpr std::uint64_t most_words = 4096;  // that may be added

  void add(Word word)
  {
    waiting_[count_++] = word;
    if (count_ == waiting_.size()) add_waiting();
  }

  void add_to(std::array<std::uint64_t, word_bits>& counts)
  {
    while (count_ != 0) add(0);
    for (std::size_t digit = 0; digit < digits_.size(); ++digit)
      for_each_bit(digits_[digit], 0, [&](std::uint64_t i) { counts[i] += std::uint64_t{1} << digit; });
    digits_ = {};
  }

 private:
  // Adds two words to a digit and returns what they carry.
  static Word add_two(Word& digit, Word one, Word other)
  {
    Word const sum = digit ^ one;
    Word const carry = (digit & one) | (sum & other);
    digit = sum ^ other;
    return carry;
  }

  void add_waiting()
  {
    auto const pair = [&](std::size_t i) { return add_two(digits_[0], waiting_[i], waiting_[i + 1]); };
    Word const twos = pair(0), more_twos = pair(2);
    Word const fours = add_two(digits_[1], twos, more_twos);
    Word const twos_again = pair(4), last_twos = pair(6);
    Word carry = add_two(digits_[2], fours, add_two(digits_[1], twos_again, last_twos));
    for (std::size_t digit = 3; digit < digits_.size(); ++digit) {
      Word const next = digits_[digit] & carry;
      digits_[digit] ^= carry;
      carry = next;
    }
    count_ = 0;
  }

  std::array<Word, std::bit_width(most_words)> digits_{};
  std::array<Word, 8> waiting_;
  std::size_t count_ = 0;
};

}  // namespace brushfire::cpu
