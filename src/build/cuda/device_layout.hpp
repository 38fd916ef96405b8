// The one layout (build/layout.hpp) in device memory: same rows, same order, and but for empty rows the same numbers.
// It is either built there or copied there; a copy is checked once, so kernels need no bounds of their own even where a
// file was altered.
#pragma once

#include "build/layout.hpp"
#include "device/buffer.hpp"
#include "device/stream.hpp"

#include <brushfire/trace.hpp>
#include <brushfire/types.hpp>

#include <array>
#include <cstdint>

namespace brushfire {

struct DeviceAdjacency {
  device::Buffer<std::uint32_t> starts;  // one more than rows
  device::Buffer<std::uint32_t> splits;  // one per row; none without delegates
  device::Buffer<std::uint64_t> bases;   // one per rows_per_base rows, and one more
  device::Buffer<Vertex> targets;

  std::uint64_t bytes() const { return starts.bytes() + splits.bytes() + bases.bytes() + targets.bytes(); }
};

// Which of 32 vertices are normal and have a row, and how many normal vertices before them do.
struct RowWord {
  std::uint32_t bits, before;
};
inline constexpr std::uint32_t vertices_per_word = 32;

struct DeviceLayout {
  Vertex vertices = 0;
  Vertex delegates = 0;
  std::uint64_t threshold = 0;
  bool directed = false;
  std::array<std::uint64_t, subgraph_count> entries{};  // per Subgraph of `out`
  device::Buffer<Vertex> delegate_vertices;             // rank -> Vertex
  device::Buffer<std::uint32_t> input_degrees;          // as in Layout, per Vertex or, with row_words, per row
  // A whole graph with delegates has rows only for vertices that have edges (empty_rows.hpp): where they are, by
  // Vertex. Empty where row d + v is that of Vertex v.
  device::Buffer<RowWord> row_words;
  DeviceAdjacency out;
  DeviceAdjacency in;  // empty when undirected: `out` serves both

  const DeviceAdjacency& pulled() const { return directed ? in : out; }
  std::uint64_t rows() const
  {
    return row_words.size() != 0 ? out.starts.size() - 1 : std::uint64_t{delegates} + vertices;
  }
  std::uint64_t all_entries() const { return out.targets.size(); }
  std::uint64_t bytes() const
  {
    return delegate_vertices.bytes() + input_degrees.bytes() + row_words.bytes() + out.bytes() + in.bytes();
  }
};

// Throws Error(input) when the layout is not one a builder could have made (an altered .bfg file).
DeviceLayout copy_to_device(const Layout& layout, const device::Stream& stream);
Layout copy_to_host(const DeviceLayout& layout, const device::Stream& stream);

}  // namespace brushfire
