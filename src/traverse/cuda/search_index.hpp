// What every search of one graph on a GPU looks up, made once on the device: nothing here changes while searching.
#pragma once

#include "base/room.hpp"
#include "base/saturating.hpp"
#include "build/cuda/device_layout.hpp"
#include "build/cuda/empty_rows.hpp"
#include "device/buffer.hpp"
#include "traverse/split_policy.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace brushfire::cuda {

// Slots of the second to the fifth source of a row, no_vertex where it has fewer.
inline constexpr unsigned next_sources = 4;
struct alignas(16) NextSources {
  std::uint32_t slots[next_sources];
};

struct SearchIndex {
  SearchIndex(const DeviceLayout& layout, const device::Stream& stream);
  static std::uint64_t predict_bytes(std::uint64_t vertices, std::uint64_t delegates);

  // Slots and their bits, where delegates come first: rounded up to 64 bits, as masks are.
  static constexpr std::uint64_t first_normal(std::uint64_t delegates)
  {
    return round_up(delegates, std::uint64_t{64});
  }
  static constexpr std::uint64_t slots(std::uint64_t vertices, std::uint64_t delegates)
  {
    return first_normal(delegates) + vertices;
  }
  static constexpr std::uint64_t words(std::uint64_t vertices, std::uint64_t delegates)
  {
    return (slots(vertices, delegates) + 31) / 32;
  }

  std::optional<std::uint32_t> rank_of(Vertex vertex) const;  // of a delegate
  std::uint32_t slot_of(Vertex vertex) const;
  bool has_row(Vertex vertex) const { return rank_of(vertex) || row_numbers.of(vertex); }
  std::uint32_t row_of(Vertex vertex) const;  // that has one

  std::uint32_t normal_base;             // slot of Vertex 0
  device::Buffer<std::uint32_t> firsts;  // by slot: the slot of its first source, or no_vertex; most pulls end there
  device::Buffer<NextSources> nexts;     // by row
  device::Buffer<std::uint32_t> never;   // bits of slots that nothing leads to, and of those past the last
  std::uint64_t searchable_delegates = 0;
  std::uint64_t searchable_normals = 0;
  std::uint64_t long_lists = 0, pieces = 0;  // of all rows; see long_lists.hpp
  // List entries to delegates and to normal vertices, by the class of their source.
  std::array<std::array<std::uint64_t, source_classes>, 2> entries_of_class{};
  device::Buffer<Vertex> homes, ranks_of_homes;  // Vertices of delegates, rising, and the rank of each
  std::vector<Vertex> homes_on_host, ranks_on_host;
  RowNumbers row_numbers;

 private:
  void index_rows(const DeviceLayout& layout, const device::Stream& stream);
  void index_delegates(const DeviceLayout& layout, const device::Stream& stream);
};

}  // namespace brushfire::cuda
