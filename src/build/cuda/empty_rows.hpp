// Vertices without edges need no row: a Kronecker graph has as many of them as others, and each row takes starts,
// splits and whatever searches look up by row. Rows of normal vertices then stand in the order of their vertices, but
// only of those that have one; lists name vertices as before.
#pragma once

#include "build/cuda/device_layout.hpp"
#include "device/stream.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace brushfire {

// Takes the empty rows out of a layout that has all of them, and the degrees of their vertices, which are 0; fills
// row_words.
void drop_empty_rows(DeviceLayout& layout, const device::Stream& stream);

// The rows of the vertices of a layout, on the host.
class RowNumbers {
 public:
  // `words` as in the layout; none: every vertex has one.
  RowNumbers(Vertex delegates, std::vector<RowWord> words) : delegates_(delegates), words_(std::move(words)) {}

  // The row of a normal vertex, nothing if it has none.
  std::optional<std::uint32_t> of(Vertex normal) const;

  // The same rows, and the empty ones.
  Adjacency with_empty_rows(const Adjacency& rows, Vertex vertices) const;
  // What stands per row, per Vertex; 0 for those without a row.
  std::vector<std::uint32_t> by_vertex(std::span<const std::uint32_t> by_row, std::span<const Vertex> delegate_vertices,
                                       Vertex vertices) const;

 private:
  Vertex delegates_;
  std::vector<RowWord> words_;
};

}  // namespace brushfire
