// Rows under construction: sorting, dropping duplicates, closing the gaps, all inside one target array.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"

#include <brushfire/types.hpp>

#include <cstdint>
#include <span>

namespace brushfire {

// Sorts `values`, all below 2^bits, using `scratch` of at least the same size when it helps.
void sort_row(std::span<Vertex> values, std::span<Vertex> scratch, int bits);

// Position of a row from its low bits and the base of its block.
inline EdgeIndex position_of(std::uint32_t low, std::uint64_t base)
{
  return base + (low - static_cast<std::uint32_t>(base));
}

// Sorts every row [starts[r], ends[r]) and drops duplicates; ends[r] moves down. `delegate_rows` come first and are
// long.
void sort_rows(std::span<Vertex> targets, std::span<const std::uint32_t> starts, std::span<std::uint32_t> ends,
               std::span<const std::uint64_t> bases, std::uint64_t delegate_rows, int bits, Team team);

// Moves all rows together to the front; starts (one more than rows) and bases get their new values. Returns the entries
// left.
EdgeIndex close_gaps(std::span<Vertex> targets, std::span<std::uint32_t> starts, std::span<const std::uint32_t> ends,
                     std::span<std::uint64_t> bases, Team team);

}  // namespace brushfire
