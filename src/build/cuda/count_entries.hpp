// How many entries each of the four subgraphs has, from the rows themselves.
#pragma once

#include "build/cuda/device_layout.hpp"

namespace brushfire {

// Of `layout.out`, as Layout::entries(kind) counts them.
std::array<std::uint64_t, subgraph_count> count_entries(const DeviceLayout& layout, const device::Stream& stream);

}  // namespace brushfire
