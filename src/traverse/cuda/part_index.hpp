// The search index of a part: what waits there may be found by other devices too; and the delegates that live there.
#pragma once

#include "build/cuda/device_part.hpp"
#include "device/stream.hpp"
#include "traverse/cuda/search_index.hpp"

namespace brushfire::cuda {

struct PartIndex {
  PartIndex(const DevicePart& part, const device::Stream& stream);

  SearchIndex search;                       // every delegate waits, whether anything here leads to it or not
  device::Buffer<std::uint32_t> home_bits;  // of the delegates that live here
  device::Buffer<Vertex> at_home;           // the same as ranks, rising
};

}  // namespace brushfire::cuda
