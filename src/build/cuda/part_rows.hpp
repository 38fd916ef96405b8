// The rows of a part, of one direction, from the entries that all devices make of their tuples.
#pragma once

#include "build/cuda/delegate_directory.hpp"
#include "build/cuda/device_part.hpp"
#include "build/cuda/device_rows.hpp"

#include <cstdint>

namespace brushfire {

class PartSteps;

struct PartRows {
  DeviceAdjacency near;
  DeviceFarRows far;
};

struct PartRowsOptions {
  Vertex vertices = 0;       // of this device
  Vertex most_vertices = 0;  // of any
  std::uint64_t most_keys = as_many_keys_as_fit;
  int sharing = 1;  // devices that share the GPU
};

// Every device calls it.
PartRows build_part_rows(PartSteps& steps, const DelegateDirectory& delegates, RowsHold hold,
                         const PartRowsOptions& options);

}  // namespace brushfire
