// The far rows of a DevicePart as kernels see them: per own Vertex, its normal neighbours by device, then by number.
#pragma once

#include "build/cuda/device_part.hpp"

#include <cstdint>

namespace brushfire {

struct FarRowsView {
  const std::uint32_t* starts;
  const std::uint64_t* bases;
  const FarVertex* targets;

  __device__ EdgeIndex first(Vertex v) const
  {
    std::uint64_t const base = bases[v / rows_per_base];
    return base + (starts[v] - static_cast<std::uint32_t>(base));
  }
  __device__ std::uint32_t length(Vertex v) const { return starts[v + 1] - starts[v]; }
};

inline FarRowsView far_rows_view(const DeviceFarRows& rows)
{
  return {rows.starts.data(), rows.bases.data(), rows.targets.data()};
}

}  // namespace brushfire
