// Lists of vertices of all devices, their entries shared out evenly whatever their lengths, and dealt into one bin per
// device (build/cuda/deal_block.cuh).
#pragma once

#include "build/cuda/deal_block.cuh"
#include "build/cuda/far_rows_view.cuh"
#include "traverse/cuda/discoveries.cuh"

#include <cstdint>

namespace brushfire::cuda {

inline constexpr unsigned entries_per_thread = 2;  // mostly there are few, and many blocks are soon done with them
inline constexpr std::uint64_t entries_per_block = std::uint64_t{entries_per_thread} * deal_threads;

// Some lists one after another, as if they were one: list i is a run of `targets` and ends with entry number ends[i].
struct FarLists {
  const Vertex* owners;
  const EdgeIndex* firsts;    // where each starts in `targets`
  const std::uint64_t* ends;  // sums of lengths
  std::uint64_t count;
  const FarVertex* targets;

  __device__ std::uint64_t begin(std::uint64_t list) const { return list == 0 ? 0 : ends[list - 1]; }

  __device__ FarVertex target(std::uint64_t list, std::uint64_t entry) const
  {
    return targets[firsts[list] + (entry - begin(list))];
  }
};

// Where lists are listed while they are found, and how many there are: their number in the upper bits of one word,
// their entries in the `entry_bits` below, so that one addition takes the next place and says where its entries start.
struct FarListsBuilt {
  Vertex* owners;
  EdgeIndex* firsts;
  std::uint64_t* ends;
  unsigned entry_bits;

  __host__ __device__ std::uint64_t lists(std::uint64_t both) const { return both >> entry_bits; }
  __host__ __device__ std::uint64_t entries(std::uint64_t both) const
  {
    return both & ((std::uint64_t{1} << entry_bits) - 1);
  }
};

// Where far targets go. With `sent`, one bit per vertex from numbers_before[device] on, none goes twice in a level.
struct TargetBins : BinsView {
  Vertex* numbers;
  std::uint32_t* sent;
  const std::uint64_t* numbers_before;
};

struct FoundList {
  Vertex owner;
  std::uint32_t length;
  EdgeIndex first;
};

// Lists those of each lane that are `wanted`, a bit for each; `both` is how many there are. All lanes together.
template <unsigned count>
__device__ void add_lists(const FarListsBuilt& built, Count* both, const FoundList (&lists)[count], unsigned wanted)
{
  if (!__any_sync(all_lanes, wanted != 0)) return;
  Count entries = 0;
#pragma unroll
  for (unsigned k = 0; k < count; ++k)
    if ((wanted >> k & 1) != 0) entries += lists[k].length;
  Count const own_entries = entries;
  for (unsigned offset = 1; offset < warp_threads; offset *= 2) {
    Count const before = __shfl_up_sync(all_lanes, entries, offset);
    if (lane_id() >= offset) entries += before;
  }
  std::uint32_t const places = sum_up_to_lane(__popc(wanted));
  Count taken = 0;
  if (lane_id() == warp_threads - 1) taken = atomicAdd(both, Count{places} << built.entry_bits | entries);
  taken = __shfl_sync(all_lanes, taken, warp_threads - 1);
  std::uint64_t place = built.lists(taken) + places - __popc(wanted);
  std::uint64_t entry = built.entries(taken) + entries - own_entries;
#pragma unroll
  for (unsigned k = 0; k < count; ++k) {
    if ((wanted >> k & 1) == 0) continue;
    entry += lists[k].length;
    built.owners[place] = lists[k].owner;
    built.firsts[place] = lists[k].first;
    built.ends[place] = entry;
    ++place;
  }
}

// The first of `count` sums that is above `entry`, found by a whole block.
__device__ inline std::uint64_t first_end_above(const std::uint64_t* ends, std::uint64_t count, std::uint64_t entry)
{
  std::uint64_t low = 0;  // those before are not
  for (std::uint64_t left = count;;) {
    std::uint64_t const step = max((left + blockDim.x - 1) / blockDim.x, std::uint64_t{1});
    std::uint64_t const last = low + (threadIdx.x + 1) * step - 1;  // of this thread's share
    bool const passed = last < low + left && ends[last] <= entry;
    std::uint64_t const skipped = __syncthreads_count(passed) * step;
    low += skipped;
    if (step == 1) return low;
    left = min(left - skipped, step);
  }
}

// The entries of all lists; visit(list, vertex) names who an entry is for, or nobody. A block takes the lists that its
// entries are in to shared memory: none is empty, so there are no more of them than entries.
template <typename Visit, typename Store>
__device__ void deal_lists(const FarLists& lists, std::uint64_t entries, const BinsView& bins, Visit&& visit,
                           Store&& store)
{
  __shared__ DealMemory memory;
  __shared__ std::uint64_t ends[entries_per_block];
  for (std::uint64_t first = blockIdx.x * entries_per_block; first < entries; first += gridDim.x * entries_per_block) {
    std::uint64_t const first_list = first_end_above(lists.ends, lists.count, first);
    auto const here = static_cast<unsigned>(min(lists.count - first_list, entries_per_block));
    for (unsigned i = threadIdx.x; i < here; i += blockDim.x) ends[i] = lists.ends[first_list + i];
    __syncthreads();
    auto const load = [&](std::uint64_t entry) {
      unsigned low = 0;
      for (unsigned size = here; size > 1;) {  // the first end above
        unsigned const half = size / 2;
        if (ends[low + half - 1] <= entry) low += half;
        size -= half;
      }
      std::uint64_t const list = first_list + low;
      std::uint64_t const begin = low > 0 ? ends[low - 1] : lists.begin(list);
      return visit(list, lists.targets[lists.firsts[list] + (entry - begin)]);
    };
    deal_block<entries_per_thread>(first, entries, bins, memory, load,
                                   store);  // ends with a barrier: nobody still reads the ends
  }
}

}  // namespace brushfire::cuda
