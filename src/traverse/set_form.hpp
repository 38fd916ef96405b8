// How a set of vertices is sent: a word that says what follows, then a list of numbers, or bits where those are
// shorter.
#pragma once

#include "base/bits.hpp"

#include <brushfire/types.hpp>

#include <cstdint>

namespace brushfire {

inline constexpr Word list_follows = 0, bits_follow = 1;

// Of so many members below `vertices`.
constexpr bool is_sent_as_bits(std::uint64_t members, std::uint64_t vertices)
{
  return members * sizeof(Vertex) > words_for(vertices) * sizeof(Word);
}
constexpr std::uint64_t bytes_of_list(std::uint64_t members) { return sizeof(Word) + members * sizeof(Vertex); }
constexpr std::uint64_t bytes_of_bits(std::uint64_t vertices) { return sizeof(Word) * (1 + words_for(vertices)); }

}  // namespace brushfire
