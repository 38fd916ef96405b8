// The rows of a DeviceLayout as kernels see them. A row's delegate neighbours come first, by rank, then its normal
// ones, by Vertex. Rows are numbered as in build/layout.hpp: delegates 0 ... d-1 by rank, then those of normal vertices
// in their order, of all or of those that have edges.
#pragma once

#include "build/cuda/device_layout.hpp"

#include <cstdint>
#include <limits>

namespace brushfire {

struct RowsView {
  const std::uint32_t* starts;
  const std::uint32_t* splits;  // null without delegates
  const std::uint64_t* bases;   // null where positions fit 32 bits, so that nobody has to read them
  const Vertex* targets;
  Vertex delegates;

  __device__ EdgeIndex first(std::uint32_t row) const { return restore(row, starts[row]); }
  __device__ EdgeIndex split(std::uint32_t row) const
  {
    return splits == nullptr ? first(row) : restore(row, splits[row]);
  }
  __device__ EdgeIndex last(std::uint32_t row) const { return first(row) + length(row); }
  __device__ std::uint32_t length(std::uint32_t row) const { return starts[row + 1] - starts[row]; }
  __device__ std::uint32_t delegate_length(std::uint32_t row) const
  {
    return splits == nullptr ? 0 : splits[row] - starts[row];
  }

 private:
  __device__ EdgeIndex restore(std::uint32_t row, std::uint32_t low) const
  {
    if (bases == nullptr) return low;
    std::uint64_t const base = bases[row / rows_per_base];
    return base + (low - static_cast<std::uint32_t>(base));
  }
};

// Which row a normal vertex has.
struct RowNumbersView {
  const RowWord* words;  // null: row d + v is that of Vertex v
  Vertex delegates;

  __device__ bool has_row(Vertex v) const
  {
    return words == nullptr || (words[v / vertices_per_word].bits >> (v % vertices_per_word) & 1) != 0;
  }
  __device__ std::uint32_t row_of(Vertex v) const  // that has one
  {
    if (words == nullptr) return delegates + v;
    RowWord const word = words[v / vertices_per_word];
    return delegates + word.before + __popc(word.bits & ((1u << (v % vertices_per_word)) - 1));
  }
};

inline RowNumbersView row_numbers(const DeviceLayout& layout) { return {layout.row_words.data(), layout.delegates}; }

inline RowsView rows_view(const DeviceAdjacency& rows, Vertex delegates)
{
  bool const narrow = rows.targets.size() <= std::numeric_limits<std::uint32_t>::max();
  return {rows.starts.data(), delegates == 0 ? nullptr : rows.splits.data(), narrow ? nullptr : rows.bases.data(),
          rows.targets.data(), delegates};
}

}  // namespace brushfire
