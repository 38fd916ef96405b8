// A parent array and the labels of its vertices, as the kernels of the validation see them, and how those kernels
// report: the smallest index that any thread offers, and one atomic a warp for what they count. Parents may hold any
// value; find() alone turns one into a vertex.
#pragma once

#include "device/parents.hpp"

#include <brushfire/types.hpp>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>

#include <algorithm>
#include <cstdint>

namespace brushfire {

struct TreeView {
  device::ParentsOnDevice parents;
  device::LabelsOnDevice labels;
  Vertex root;

  __host__ __device__ std::uint64_t size() const { return parents.size; }
  __device__ Label parent(Vertex v) const { return parents.narrow != nullptr ? parents.narrow[v] : parents.wide[v]; }
  __device__ Label label(Vertex v) const { return labels.table != nullptr ? labels.table[v] : labels.first + v; }

  // no_vertex when the graph has no such label.
  __device__ Vertex find(Label label) const
  {
    if (labels.table == nullptr) {
      // Labels below the first wrap around to offsets beyond the last.
      auto const offset = static_cast<std::uint64_t>(label) - static_cast<std::uint64_t>(labels.first);
      return offset < size() ? static_cast<Vertex>(offset) : no_vertex;
    }
    std::uint64_t low = 0;
    for (std::uint64_t high = size(); low < high;) {
      std::uint64_t const middle = (low + high) / 2;
      if (labels.table[middle] < label)
        low = middle + 1;
      else
        high = middle;
    }
    return low < size() && labels.table[low] == label ? static_cast<Vertex>(low) : no_vertex;
  }
};

// For values that threads of one kernel read and write. All orders are relaxed: each value stands by itself, and what
// depends on several is read after the kernel.
template <typename T>
__device__ cuda::atomic_ref<T, cuda::thread_scope_device> atomically(T& value)
{
  return cuda::atomic_ref<T, cuda::thread_scope_device>(value);
}

// A look first: when everything is wrong, nearly all offers come too late, and looks are cheap.
__device__ inline void offer(std::uint64_t& lowest, std::uint64_t index)
{
  auto const known = atomically(lowest);
  if (index < known.load(cuda::memory_order_relaxed)) known.fetch_min(index, cuda::memory_order_relaxed);
}

__device__ inline auto this_warp()
{
  namespace cg = cooperative_groups;
  return cg::tiled_partition<32>(cg::this_thread_block());
}

// These two are called by whole warps.
__device__ inline void add_warp(std::uint64_t& total, std::uint64_t part)
{
  auto const warp = this_warp();
  std::uint64_t const sum = cooperative_groups::reduce(warp, part, cooperative_groups::plus<std::uint64_t>());
  if (warp.thread_rank() == 0 && sum > 0) atomically(total).fetch_add(sum, cuda::memory_order_relaxed);
}

__device__ inline void raise_warp(std::uint32_t& highest, std::uint32_t part)
{
  auto const warp = this_warp();
  std::uint32_t const most = cooperative_groups::reduce(warp, part, cooperative_groups::greater<std::uint32_t>());
  if (warp.thread_rank() == 0) atomically(highest).fetch_max(most, cuda::memory_order_relaxed);
}

// The grid of a kernel that loops over `items` and ends with a report per warp: enough to fill the largest GPU, and few
// enough that the reports cost nothing.
inline unsigned reporting_blocks(std::uint64_t items, unsigned threads)
{
  return static_cast<unsigned>(std::min<std::uint64_t>((items + threads - 1) / threads, 4096));
}

}  // namespace brushfire
