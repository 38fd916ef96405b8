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

inline constexpr unsigned lists_staged_per_warp = 64;
struct StagedList {
  Vertex owner;
  std::uint32_t length;
  EdgeIndex first;
};

// A warp's way to list lists: in batches.
class ListWriter {
 public:
  // `staged` is shared memory of the warp.
  __device__ ListWriter(const FarListsBuilt& lists, Count* both, StagedList* staged)
      : lists_(lists), both_(both), staged_(staged)
  {
  }

  // The row of `owner`, of each lane that wants to. All lanes together.
  __device__ void add(bool wanted, Vertex owner, std::uint32_t length, const FarRowsView& rows)
  {
    if (!__any_sync(all_lanes, wanted)) return;
    add({owner, length, wanted ? rows.first(owner) : 0}, wanted);
  }
  __device__ void add(const StagedList& list, bool wanted)
  {
    unsigned const all = __ballot_sync(all_lanes, wanted);
    if (count_ + __popc(all) > lists_staged_per_warp) flush();
    if (wanted) staged_[count_ + __popc(all & lanes_below())] = list;
    count_ += __popc(all);
    __syncwarp();
  }

  __device__ void flush()
  {
    if (count_ == 0) return;
    constexpr unsigned per_lane = lists_staged_per_warp / warp_threads;
    StagedList mine[per_lane];
    Count end = 0;  // of this lane's lists, which are neighbours
    for (unsigned k = 0; k < per_lane; ++k) {
      unsigned const i = lane_id() * per_lane + k;
      mine[k] = i < count_ ? staged_[i] : StagedList{};
      end += mine[k].length;
    }
    Count const own = end;
    for (unsigned offset = 1; offset < warp_threads; offset *= 2) {
      Count const before = __shfl_up_sync(all_lanes, end, offset);
      if (lane_id() >= offset) end += before;
    }
    Count both = 0;
    if (lane_id() == warp_threads - 1) both = atomicAdd(both_, Count{count_} << lists_.entry_bits | end);
    both = __shfl_sync(all_lanes, both, warp_threads - 1);
    std::uint64_t entry = lists_.entries(both) + (end - own);
    for (unsigned k = 0; k < per_lane; ++k) {
      unsigned const i = lane_id() * per_lane + k;
      if (i >= count_) break;
      std::uint64_t const place = lists_.lists(both) + i;
      entry += mine[k].length;
      lists_.owners[place] = mine[k].owner;
      lists_.firsts[place] = mine[k].first;
      lists_.ends[place] = entry;
    }
    count_ = 0;
    __syncwarp();
  }

 private:
  FarListsBuilt lists_;
  Count* both_;
  StagedList* staged_;
  unsigned count_ = 0;  // the same in all lanes
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
