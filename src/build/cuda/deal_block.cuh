// Items dealt into one bin per device: a block counts its items by device in shared memory, takes room in all bins at
// once, and then fills it.
#pragma once

#include "build/part.hpp"

#include <cstdint>

namespace brushfire::cuda {

using Count = unsigned long long;  // what atomicAdd takes

inline constexpr unsigned most_devices = 1024;  // that a block counts for
inline constexpr unsigned deal_threads = 256;
inline constexpr FarVertex nobody = ~FarVertex{0};

// One bin per device: where it starts among all, and how many items it has.
struct BinsView {
  const std::uint64_t* before;
  Count* counts;
  unsigned devices;
};

struct DealMemory {
  unsigned counts[most_devices];
  Count places[most_devices];
};

// Items from number `first` on, `per_thread` for each of its threads, as far as there are `items`, by one block.
// load(item) names the vertex it is for, or nobody; store(item, vertex, place) puts it into a bin.
template <unsigned per_thread, typename Load, typename Store>
__device__ void deal_block(std::uint64_t first, std::uint64_t items, const BinsView& bins, DealMemory& memory,
                           Load&& load, Store&& store)
{
  for (unsigned device = threadIdx.x; device < bins.devices; device += blockDim.x) memory.counts[device] = 0;
  __syncthreads();
  FarVertex loaded[per_thread];
  unsigned places[per_thread];
#pragma unroll
  for (unsigned k = 0; k < per_thread; ++k) {
    std::uint64_t const item = first + k * deal_threads + threadIdx.x;
    loaded[k] = item < items ? load(item) : nobody;
  }
#pragma unroll
  for (unsigned k = 0; k < per_thread; ++k)
    if (loaded[k] != nobody) places[k] = atomicAdd(&memory.counts[device_of(loaded[k])], 1u);
  __syncthreads();
  for (unsigned device = threadIdx.x; device < bins.devices; device += blockDim.x)
    if (memory.counts[device] != 0)
      memory.places[device] = bins.before[device] + atomicAdd(&bins.counts[device], Count{memory.counts[device]});
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < per_thread; ++k)
    if (loaded[k] != nobody)
      store(first + k * deal_threads + threadIdx.x, loaded[k], memory.places[device_of(loaded[k])] + places[k]);
  __syncthreads();  // before the counts are cleared again
}

}  // namespace brushfire::cuda
