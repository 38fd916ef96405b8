// The levels of a tree in device memory, derived from its parent array alone: what derive_levels() does on the host.
#pragma once

#include "device/buffer.hpp"
#include "device/parents.hpp"
#include "device/stream.hpp"
#include "validate/lowest.hpp"

#include <brushfire/types.hpp>

#include <cstdint>

namespace brushfire {

struct TreeLevelsOnDevice {
  device::Buffer<std::int32_t> levels;  // `unreached` outside the tree, and where the chain of parents ends nowhere
  std::uint64_t reached = 0;            // vertices with a parent
  std::int64_t depth = 0;               // largest level
  std::uint64_t rule_1 = Lowest::none;  // smallest vertex whose parents do not lead to the root
  std::uint64_t rule_2 = Lowest::none;  // smallest vertex whose parent is outside the tree or the graph
};

// Complete when this returns.
TreeLevelsOnDevice derive_levels_on_device(device::LabelsOnDevice labels, Vertex root, device::ParentsOnDevice parents,
                                           const device::Stream& stream);

// What it allocates, the levels included.
std::uint64_t predict_tree_levels_bytes(std::uint64_t vertices);

}  // namespace brushfire
