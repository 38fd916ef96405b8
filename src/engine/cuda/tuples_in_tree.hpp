// Input tuples of a tree, counted on the device: see tuples_in_tree() in engine/graph_data.hpp.
#pragma once

#include "build/cuda/device_layout.hpp"
#include "device/parents.hpp"
#include "device/stream.hpp"

#include <cstdint>

namespace brushfire {

// What `values`, in device memory, has for the vertices of a tree, added up.
std::uint64_t sum_over_tree(device::ParentsOnDevice parents, const std::uint32_t* values, const device::Stream& stream);

std::uint64_t tuples_in_tree(const DeviceLayout& layout, device::ParentsOnDevice parents, const device::Stream& stream);

}  // namespace brushfire
