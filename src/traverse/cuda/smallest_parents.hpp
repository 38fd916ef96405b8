// A deterministic tree from any tree, on the device: among all neighbours one level up, the parent becomes the one
// with the smallest label.
#pragma once

#include "build/cuda/device_layout.hpp"
#include "device/parents.hpp"
#include "device/stream.hpp"

#include <cstdint>

namespace brushfire {

// `levels` is indexed by Vertex and complete. Parents of vertices below level 1 stay as they are.
void choose_smallest_parents(const DeviceLayout& layout, device::LabelsOnDevice labels, const std::int32_t* levels,
                             std::int64_t* wide_parents, std::int32_t* narrow_parents, const device::Stream& stream);

}  // namespace brushfire
