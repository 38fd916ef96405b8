// One device's block of a plain graph (build/block.hpp) in device memory: the same rows. What else is known of a block
// stays on the host.
#pragma once

#include "build/block.hpp"
#include "build/cuda/device_layout.hpp"
#include "device/buffer.hpp"
#include "device/stream.hpp"

#include <cstdint>

namespace brushfire {

struct DeviceBlock {
  DeviceAdjacency push;      // rows by source slot
  DeviceAdjacency own_pull;  // rows by target slot; none where `push` serves both, or nothing is pulled
  bool shares_rows = false;

  const DeviceAdjacency& pull() const { return shares_rows ? push : own_pull; }
  std::uint64_t bytes() const { return push.bytes() + own_pull.bytes(); }
};

DeviceBlock copy_to_device(const Block& block, const device::Stream& stream);

// An Extent as kernels see it.
struct DeviceExtent {
  DeviceExtent(const Extent& extent, const device::Stream& stream);

  device::Buffer<int> devices;
  device::Buffer<Vertex> firsts;
};

}  // namespace brushfire
