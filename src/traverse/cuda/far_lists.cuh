// Lists of vertices of all devices, their entries shared out evenly whatever their lengths, and dealt into one bin per
// device (build/cuda/deal_block.cuh).
#pragma once

#include "build/cuda/deal_block.cuh"
#include "build/cuda/far_rows_view.cuh"
#include "traverse/cuda/search_view.cuh"

#include <cstdint>

namespace brushfire::cuda {

// Some lists one after another, as if they were one: list i is a run of `targets` and ends with entry number ends[i].
struct FarLists {
  const Vertex* owners;
  const EdgeIndex* firsts;    // where each starts in `targets`
  const std::uint64_t* ends;  // sums of lengths
  std::uint64_t count;
  const FarVertex* targets;

  __device__ std::uint64_t begin(std::uint64_t list) const { return list == 0 ? 0 : ends[list - 1]; }

  // The list of an entry, from `low` to `high`.
  __device__ std::uint64_t list_of(std::uint64_t entry, std::uint64_t low, std::uint64_t high) const
  {
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      if (ends[middle] <= entry)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  __device__ FarVertex target(std::uint64_t list, std::uint64_t entry) const
  {
    return targets[firsts[list] + (entry - begin(list))];
  }
};

// The entries of all lists; visit(list, entry, vertex) names who an entry is for, or nobody.
template <typename Visit, typename Store>
__device__ void deal_lists(const FarLists& lists, std::uint64_t entries, const BinsView& bins, Visit&& visit,
                           Store&& store)
{
  __shared__ DealMemory memory;
  __shared__ std::uint64_t range[2];  // of lists that this block's entries are in
  for (std::uint64_t first = blockIdx.x * dealt_per_block; first < entries; first += gridDim.x * dealt_per_block) {
    if (threadIdx.x < 2) {
      std::uint64_t const entry = threadIdx.x == 0 ? first : min(first + dealt_per_block, entries) - 1;
      range[threadIdx.x] = lists.list_of(entry, 0, lists.count - 1);
    }
    __syncthreads();
    auto const load = [&](std::uint64_t entry) {
      std::uint64_t const list = lists.list_of(entry, range[0], range[1]);
      return visit(list, lists.target(list, entry));
    };
    deal_block(first, entries, bins, memory, load, store);  // ends with a barrier: nobody still reads the range
  }
}

}  // namespace brushfire::cuda
