#include "traverse/cpu/level_digits.hpp"

#include "base/fill.hpp"
#include "base/past_caches.hpp"
#include "base/simd.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace brushfire::cpu {

namespace {

// Pieces of rows are long: rows of a power of two lie on the same banks of the memory, which does not like to be sent
// from one to another.
constexpr std::uint64_t vertices_per_tile = 2048;
constexpr std::size_t digits_per_part = 4;
constexpr unsigned nibbles = 8;  // in 32 bits

// Four digits of the levels of all sources for each vertex of a tile, side by side: array a, nibble b belongs to source
// a % 4 + 4 * b + 32 * (a / 4).
using Part = std::array<std::array<std::uint32_t, vertices_per_tile>, word_bits / nibbles>;
using Levels = std::array<std::int32_t, vertices_per_tile>;
using DigitsOfPart = std::array<const Word*, digits_per_part>;

unsigned array_of(unsigned source) { return source % 4 + source / 32 * 4; }
unsigned nibble_of(unsigned source) { return source % 32 / 4; }

// Two transpositions: of bits to pairs of bits, of those to nibbles.
BRUSHFIRE_VECTOR_CLONES
void pack(const DigitsOfPart& digits, std::uint64_t count, Part& part)
{
  constexpr Word even_bits = 0x5555555555555555, even_pairs = 0x3333333333333333;
  for (std::uint64_t v = 0; v < count; ++v) {
    Word const zero = digits[0][v], one = digits[1][v], two = digits[2][v], three = digits[3][v];
    Word const low_even = (zero & even_bits) | (one & even_bits) << 1;
    Word const low_odd = (zero >> 1 & even_bits) | (one & ~even_bits);
    Word const high_even = (two & even_bits) | (three & even_bits) << 1;
    Word const high_odd = (two >> 1 & even_bits) | (three & ~even_bits);
    Word const sources[4] = {(low_even & even_pairs) | (high_even & even_pairs) << 2,
                             (low_odd & even_pairs) | (high_odd & even_pairs) << 2,
                             (low_even >> 2 & even_pairs) | (high_even & ~even_pairs),
                             (low_odd >> 2 & even_pairs) | (high_odd & ~even_pairs)};
    for (std::size_t a = 0; a < 4; ++a) {
      part[a][v] = static_cast<std::uint32_t>(sources[a]);
      part[a + 4][v] = static_cast<std::uint32_t>(sources[a] >> 32);
    }
  }
}

// The levels of one source, so far as the lowest four digits tell.
BRUSHFIRE_VECTOR_CLONES
void unpack(const std::uint32_t* packed, std::uint64_t count, unsigned nibble, std::int32_t* levels)
{
  for (std::uint64_t v = 0; v < count; ++v)
    levels[v] = static_cast<std::int32_t>(packed[v] >> (digits_per_part * nibble) & 0xF) - 1;
}

// What four more add; `shift` is the place of the lowest of them.
BRUSHFIRE_VECTOR_CLONES
void add_unpacked(const std::uint32_t* packed, std::uint64_t count, unsigned nibble, unsigned shift,
                  std::int32_t* levels)
{
  for (std::uint64_t v = 0; v < count; ++v)
    levels[v] += static_cast<std::int32_t>((packed[v] >> (digits_per_part * nibble) & 0xF) << shift);
}

constexpr std::array<Word, vertices_per_tile> no_digit{};

}  // namespace

void LevelDigits::forget()
{
  for (Digit& digit : digits_) digit.is_old = true;
}

void LevelDigits::begin_level(std::int64_t level)
{
  auto const written = static_cast<std::uint64_t>(level + 1);
  while (digits_.size() < static_cast<std::size_t>(std::bit_width(written)))
    digits_.push_back({Buffer<Word>(slots_), false});
  level_digits_.clear();
  for_each_bit(written, 0, [&](std::uint64_t k) { level_digits_.push_back(k); });
}

void LevelDigits::begin_few(Team team)
{
  for (std::size_t const k : level_digits_) {
    if (std::exchange(digits_[k].is_old, false)) clear_words(digits_[k].words.span(), team);
  }
}

void LevelDigits::end_tiles()
{
  for (std::size_t const k : level_digits_) digits_[k].is_old = false;
}

void LevelDigits::add_tile(std::uint64_t first, std::span<const Word> found)
{
  for (std::size_t const k : level_digits_) {
    Word* const words = digits_[k].words.data() + first;
    if (digits_[k].is_old)
      std::ranges::copy(found, words);
    else
      for (std::size_t i = 0; i < found.size(); ++i) words[i] |= found[i];
  }
}

void LevelDigits::copy(std::uint64_t from, std::uint64_t to)
{
  for (Digit& digit : digits_)
    if (!digit.is_old) digit.words[to] = digit.words[from];
}

void LevelDigits::write_rows(std::uint64_t first_slot, Vertex count, std::span<std::int32_t> rows, Team team) const
{
  constexpr std::uint64_t worth_passing_caches = std::uint64_t{8} << 20;  // bytes; less may be read from them
  bool const is_large = rows.size_bytes() > worth_passing_caches;
  std::uint64_t const sources = rows.size() / std::max<std::uint64_t>(count, 1);
  team.for_blocks(count, vertices_per_tile, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t const tile = last - first;
    std::vector<Part> parts((digits_.size() + digits_per_part - 1) / digits_per_part);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      DigitsOfPart digits;
      for (std::size_t i = 0; i < digits_per_part; ++i) {
        std::size_t const k = p * digits_per_part + i;
        digits[i] =
            k < digits_.size() && !digits_[k].is_old ? digits_[k].words.data() + first_slot + first : no_digit.data();
      }
      pack(digits, tile, parts[p]);
    }
    Levels levels;
    for (unsigned source = 0; source < sources; ++source) {
      unpack(parts[0][array_of(source)].data(), tile, nibble_of(source), levels.data());
      for (std::size_t p = 1; p < parts.size(); ++p)
        add_unpacked(parts[p][array_of(source)].data(), tile, nibble_of(source),
                     static_cast<unsigned>(p * digits_per_part), levels.data());
      std::int32_t* const row = rows.data() + source * std::uint64_t{count} + first;
      if (is_large)
        store_past_caches(row, levels.data(), tile);
      else
        std::copy_n(levels.data(), tile, row);
    }
    if (is_large) let_others_see();
  });
}

}  // namespace brushfire::cpu
