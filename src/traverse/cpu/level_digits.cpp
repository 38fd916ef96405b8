#include "traverse/cpu/level_digits.hpp"

#include "base/simd.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace brushfire::cpu {

namespace {

constexpr std::uint64_t vertices_per_block = 1024;  // whose digits stay in a near cache while 64 rows are written

// Of the digits of some vertices those that belong to one half of the sources: in 32 bits, like levels, so that vectors
// hold as many of one as of the other. Four digits go into a level at a time; those that do not exist are zero.
using Half = std::array<std::uint32_t, vertices_per_block>;
constexpr std::size_t digits_at_a_time = 4;
using Halves = std::array<Half, digits_at_a_time>;

// Adds four digits, the lowest of which counts 2^shift, to `before`.
BRUSHFIRE_VECTOR_CLONES
void add_digits(const Halves& digits, std::uint64_t count, unsigned source, unsigned shift, const std::int32_t* before,
                std::int32_t* levels)
{
  for (std::uint64_t v = 0; v < count; ++v) {
    std::uint32_t const sum = (digits[0][v] >> source & 1) + (digits[1][v] >> source & 1) * 2 +
                              (digits[2][v] >> source & 1) * 4 + (digits[3][v] >> source & 1) * 8;
    levels[v] = before[v] + static_cast<std::int32_t>(sum << shift);
  }
}

constexpr std::array<std::int32_t, vertices_per_block> none_reached = [] {
  std::array<std::int32_t, vertices_per_block> levels{};
  levels.fill(unreached);
  return levels;
}();

}  // namespace

void LevelDigits::clear(Team team)
{
  for (Buffer<Word>& digit : digits_)
    team.for_blocks(vertices_, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
      std::fill(digit.data() + first, digit.data() + last, Word{0});
    });
}

void LevelDigits::begin_level(std::int64_t level)
{
  auto const written = static_cast<std::uint64_t>(level + 1);
  while (digits_.size() < static_cast<std::size_t>(std::bit_width(written))) digits_.emplace_back(vertices_);
  set_digits_.clear();
  for_each_bit(written, 0, [&](std::uint64_t k) { set_digits_.push_back(digits_[k].data()); });
}

void LevelDigits::write_rows(std::span<std::int32_t> rows, Team team) const
{
  std::uint64_t const sources = rows.size() / std::max<std::uint64_t>(vertices_, 1);
  team.for_blocks(vertices_, vertices_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
    for (unsigned half = 0; half < sources; half += 32) {
      for (std::size_t lowest = 0; lowest < digits_.size(); lowest += digits_at_a_time) {
        Halves halves{};
        for (std::size_t k = 0; k < std::min(digits_at_a_time, digits_.size() - lowest); ++k)
          for (std::uint64_t v = first; v < last; ++v)
            halves[k][v - first] = static_cast<std::uint32_t>(digits_[lowest + k][v] >> half);
        for (unsigned source = half; source < std::min<std::uint64_t>(sources, half + 32); ++source) {
          std::int32_t* const levels = rows.data() + source * std::uint64_t{vertices_} + first;
          add_digits(halves, last - first, source - half, static_cast<unsigned>(lowest),
                     lowest == 0 ? none_reached.data() : levels, levels);
        }
      }
    }
  });
}

}  // namespace brushfire::cpu
