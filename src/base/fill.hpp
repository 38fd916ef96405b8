// Filling and copying arrays by all threads of a team.
#pragma once

#include "base/bits.hpp"
#include "base/parallel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace brushfire {

// Little, 8 KiB, so that each of many threads gets what is in the caches of its core, of small arrays too: loops begin
// where the same thread was before.
template <typename T>
inline constexpr std::uint64_t filled_at_a_time = (1 << 13) / sizeof(T);

template <typename T>
void fill_by_team(std::span<T> values, std::type_identity_t<T> value, Team team)
{
  team.for_blocks(values.size(), filled_at_a_time<T>, [&](std::uint64_t first, std::uint64_t last, int) {
    std::fill(values.data() + first, values.data() + last, value);
  });
}

// Known to be zeros, which are written faster than other values.
inline void clear_words(std::span<Word> words, Team team)
{
  team.for_blocks(words.size(), filled_at_a_time<Word>, [&](std::uint64_t first, std::uint64_t last, int) {
    std::memset(words.data() + first, 0, (last - first) * sizeof(Word));
  });
}

// `to` has room for as many.
inline void copy_words(std::span<const Word> from, Word* to, Team team)
{
  team.for_blocks(from.size(), filled_at_a_time<Word>, [&](std::uint64_t first, std::uint64_t last, int) {
    std::memcpy(to + first, from.data() + first, (last - first) * sizeof(Word));
  });
}

}  // namespace brushfire
