// Lists of some length and more are cut into pieces, so that no warp is left alone with a hub.
#pragma once

#include <algorithm>
#include <cstdint>

namespace brushfire::cuda {

inline constexpr std::uint32_t long_list = 512;  // entries
inline constexpr std::uint32_t most_pieces = 4096;
// Where a frontier has so few entries that pieces of that length leave warps idle, they are shorter: as much as a warp
// looks at in one step.
inline constexpr std::uint32_t short_piece = 128;
inline constexpr std::uint64_t most_in_short_pieces = 1 << 20;

// A long list is cut into pieces of this many entries, `shortest` at least.
constexpr std::uint32_t piece_length(std::uint32_t length, std::uint32_t shortest)
{
  std::uint32_t const of_most_pieces = length / most_pieces + 1;
  return shortest > of_most_pieces ? shortest : of_most_pieces;
}
constexpr std::uint32_t piece_count(std::uint32_t length, std::uint32_t shortest)
{
  return (length - 1) / piece_length(length, shortest) + 1;
}

// How many long lists, and pieces of them, there can be in a level: among so many entries, and where all long lists
// together make so many `pieces`.
constexpr std::uint64_t longs_capacity(std::uint64_t entries) { return entries / long_list + 1; }
constexpr std::uint64_t pieces_capacity(std::uint64_t entries, std::uint64_t pieces)
{
  constexpr std::uint64_t short_ones = 2 * most_in_short_pieces / short_piece;
  return std::max(pieces + 1, std::min(entries, short_ones));
}
constexpr std::uint64_t pieces_capacity(std::uint64_t entries)
{
  return pieces_capacity(entries, entries / (long_list / 2));
}

}  // namespace brushfire::cuda
