#include "traverse/cpu/bit_counter.hpp"

#include "base/simd.hpp"

#include <cstring>

namespace brushfire::cpu {

namespace {

// Split by the compiler into what the registers hold.
using Vector = Word __attribute__((vector_size(64)));

constexpr std::size_t words_at_a_time = 64;

// Nothing here takes or returns a vector by value: how that is done depends on the registers there are.
inline void load(Vector& vector, const Word* words) { std::memcpy(&vector, words, sizeof(vector)); }

// Adds two words to a digit; `carry` is what they carry.
inline void add_two(Vector& digit, const Vector& one, const Vector& other, Vector& carry)
{
  Vector const sum = digit ^ one;
  carry = (digit & one) | (sum & other);
  digit = sum ^ other;
}

}  // namespace

BRUSHFIRE_VECTOR_CLONES
void BitCounter::add_words(Digits& digits, const Word* words, std::size_t count)
{
  std::array<Vector, std::tuple_size_v<Digits>> sums;
  for (std::size_t k = 0; k < sums.size(); ++k) load(sums[k], digits[k].data());
  for (std::size_t first = 0; first < count; first += words_at_a_time) {
    const Word* const at = words + first;
    Vector one, other, twos[4], fours[2], carry;
    for (std::size_t i = 0; i < 4; ++i) {
      load(one, at + 2 * i * lanes);
      load(other, at + (2 * i + 1) * lanes);
      add_two(sums[0], one, other, twos[i]);
    }
    add_two(sums[1], twos[0], twos[1], fours[0]);
    add_two(sums[1], twos[2], twos[3], fours[1]);
    add_two(sums[2], fours[0], fours[1], carry);
    for (std::size_t k = 3; k < sums.size(); ++k) {
      Vector const next = sums[k] & carry;
      sums[k] ^= carry;
      carry = next;
    }
  }
  for (std::size_t k = 0; k < sums.size(); ++k) std::memcpy(digits[k].data(), &sums[k], sizeof(Vector));
}

void BitCounter::add(std::span<const Word> words)
{
  std::size_t const whole = words.size() / words_at_a_time * words_at_a_time;
  if (whole != 0) add_words(digits_, words.data(), whole);
  for (Word const word : words.subspan(whole)) add(word);
}

void BitCounter::add_waiting()
{
  add_words(digits_, waiting_.data(), words_at_a_time);
  count_ = 0;
}

void BitCounter::add_to(std::array<std::uint64_t, word_bits>& counts)
{
  while (count_ != 0) add(Word{0});
  std::array<Word, std::tuple_size_v<Digits> + std::bit_width(lanes)> sum{};  // of the lanes
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    Word carry = 0;
    for (std::size_t k = 0; k < sum.size(); ++k) {
      Word const before = sum[k], added = k < digits_.size() ? digits_[k][lane] : 0;
      sum[k] = before ^ added ^ carry;
      carry = (before & added) | (carry & (before | added));
    }
  }
  for (std::size_t k = 0; k < sum.size(); ++k)
    for_each_bit(sum[k], 0, [&](std::uint64_t i) { counts[i] += std::uint64_t{1} << k; });
  digits_ = {};
}

}  // namespace brushfire::cpu
