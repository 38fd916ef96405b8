// What every search of one graph on a GPU looks up, made once on the device: nothing here changes while searching.
#pragma once

#include "build/cuda/device_layout.hpp"
#include "device/buffer.hpp"
#include "traverse/cuda/split_policy.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace brushfire::cuda {

struct SearchIndex {
  SearchIndex(const DeviceLayout& layout, const device::Stream& stream);

  std::uint32_t slot_of(Vertex vertex) const;

  std::uint32_t normal_base;             // slot of Vertex 0: the delegates, rounded up to 64 bits, as masks are
  device::Buffer<std::uint32_t> firsts;  // by slot: the slot of its first source, or no_vertex; most pulls end there
  device::Buffer<std::uint32_t> never;   // bits of slots that nothing leads to, and of those past the last
  std::uint64_t searchable_delegates = 0;
  std::uint64_t searchable_normals = 0;
  // List entries to delegates and to normal vertices, by the class of their source.
  std::array<std::array<std::uint64_t, source_classes>, 2> entries_of_class{};
  std::vector<Vertex> delegates_by_vertex;  // on the host: their Vertices, rising
  std::vector<Vertex> ranks_by_vertex;      // and the rank of each

 private:
  void index_rows(const DeviceLayout& layout, const device::Stream& stream);
  void index_delegates(const DeviceLayout& layout, const device::Stream& stream);
};

}  // namespace brushfire::cuda
