// Bit sets over 64-bit words. Plain functions on words, so that owners, views and kernels share them.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace brushfire {

using Word = std::uint64_t;
inline constexpr std::uint64_t word_bits = 64;

constexpr std::uint64_t words_for(std::uint64_t bits) { return (bits + word_bits - 1) / word_bits; }
constexpr Word bit_of(std::uint64_t index) { return Word{1} << (index % word_bits); }

inline bool test_bit(const Word* words, std::uint64_t index) { return (words[index / word_bits] & bit_of(index)) != 0; }
inline void set_bit(Word* words, std::uint64_t index) { words[index / word_bits] |= bit_of(index); }

// For bits that other threads set at the same time.
inline bool test_bit_shared(const Word* words, std::uint64_t index)
{
  return (std::atomic_ref<Word>(const_cast<Word&>(words[index / word_bits])).load(std::memory_order_relaxed) &
          bit_of(index)) != 0;
}

// True for the one caller that flips the bit.
inline bool claim_bit(Word* words, std::uint64_t index)
{
  // Relaxed: the bit guards nothing but who writes; readers wait for the end of the parallel region.
  Word const before =
      std::atomic_ref<Word>(words[index / word_bits]).fetch_or(bit_of(index), std::memory_order_relaxed);
  return (before & bit_of(index)) == 0;
}

// Calls body(index) for every set bit of `word`, lowest first; `first` is the index of bit 0.
template <typename Body>
void for_each_bit(Word word, std::uint64_t first, Body&& body)
{
  for (; word != 0; word &= word - 1) body(first + static_cast<std::uint64_t>(std::countr_zero(word)));
}

}  // namespace brushfire
