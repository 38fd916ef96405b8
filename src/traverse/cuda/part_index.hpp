// The search index of a part: what waits there may be found by other devices too; and the delegates that live there.
#pragma once

#include "build/cuda/device_part.hpp"
#include "device/stream.hpp"
#include "traverse/cuda/search_index.hpp"

#include <array>
#include <cstdint>

namespace brushfire::cuda {

// Words of bits in which a device's own delegates stand: they are ranked so many at a time.
inline constexpr std::uint32_t words_of_home_tile = 8;

struct PartIndex {
  PartIndex(const DevicePart& part, const device::Stream& stream);
  static std::uint64_t predict_bytes(std::uint64_t vertices, std::uint64_t delegates);

  SearchIndex search;                        // every delegate waits, whether anything here leads to it or not
  device::Buffer<std::uint32_t> home_bits;   // of the delegates that live here
  device::Buffer<std::uint32_t> home_tiles;  // the first words of the tiles that have any of these bits
  std::uint32_t home_tile_count = 0;
  device::Buffer<Vertex> home_of;  // by rank: the vertex that it is here, or no_vertex
  // The labels of the delegates, if 32 bits hold them all: what pulls look up most fits caches better.
  device::Buffer<std::uint32_t> narrow_labels;
  device::Buffer<std::uint32_t> leads_far;                       // bits of the slots that have far rows
  std::array<std::uint64_t, source_classes> members_of_class{};  // of normal vertices, those that can be reached
};

}  // namespace brushfire::cuda
