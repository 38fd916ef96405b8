// The kernels of one level of a part. Pushing and pulling inside the part is the code of a device alone; visited bits
// are the only frontier that a level leaves, whoever set them: the part's own lists, a vertex that arrived, the
// delegates that others found, whose bits the exchange joins in place. gather_frontier makes a queue of what is new.
#pragma once

#include "device/launch.cuh"
#include "traverse/cuda/arrivals.cuh"
#include "traverse/cuda/far_lists.cuh"
#include "traverse/cuda/pull.cuh"
#include "traverse/cuda/push.cuh"
#include "traverse/finder.hpp"

#include <cstddef>

namespace brushfire::cuda {

// What a level adds up; the frontier is the one to come.
struct PartTally {
  Count checked;
  Count far;                          // lists and entries of the frontier that lead elsewhere, see FarListsBuilt
  unsigned in_class[source_classes];  // vertices of the frontier
  unsigned never_waited;              // normal vertices among them that were not waiting
  unsigned queued, queued_longs;
  unsigned queue_cut;          // not all are queued: the frontier is wide
  unsigned pieces;             // of this level's long lists
  unsigned found_delegates;    // whether this device found any, a bit per round
  unsigned delegates_at_home;  // found by anybody
  unsigned target_reached;
  unsigned claimed;  // vertices that others found
  unsigned blocks_done;
};

// Where the frontier is queued.
struct PartCursor {
  std::int32_t level;
  unsigned queue_begin, queue_count;
  unsigned longs_begin, longs_count;
  std::uint64_t frontier_entries;  // about
  bool just_queued;                // how many they are, the tally says

  __device__ PartCursor counted(const PartTally& tally) const
  {
    PartCursor cursor = *this;
    if (just_queued) {
      cursor.queue_count = tally.queued;
      cursor.longs_count = tally.queued_longs;
    }
    return cursor;
  }
};

// What a warp finds in a part. Its lists are measured when the frontier is gathered, with all that others found.
class PartFindings {
 public:
  // A pull passes over what is not in `asked`, bits by word; null: over nothing.
  __device__ explicit PartFindings(const std::uint32_t* asked = nullptr) : asked_(asked) {}

  __device__ std::uint32_t left_out(std::uint32_t word) const { return asked_ == nullptr ? 0 : ~asked_[word]; }
  __device__ void add_checked(unsigned count) { checked_ += count; }
  __device__ ListLength measure(std::uint32_t) const { return {}; }
  __device__ void add(std::uint32_t, ListLength) { any_ = true; }
  __device__ void add_word(std::uint32_t bits, std::uint32_t) { any_ |= bits != 0; }
  template <unsigned count>
  __device__ void enqueue(unsigned, const std::uint32_t (&)[count], const ListLength (&)[count])
  {
  }

  // All lanes together; `mark` is noted where something was found.
  __device__ void finish(PartTally* tally, unsigned mark) const
  {
    Count const checked = sum_over_warp(checked_);
    bool const any = __any_sync(all_lanes, any_);
    if (lane_id() != 0) return;
    if (checked != 0) atomicAdd(&tally->checked, checked);
    if (any && (__ldcg(&tally->found_delegates) & mark) != mark) atomicOr(&tally->found_delegates, mark);
  }

 private:
  const std::uint32_t* asked_;
  Count checked_ = 0;
  bool any_ = false;
};

// Parents are all -1 by now.
template <typename Parent>
__global__ void start_thread_per_word(SearchView<Parent> view)
{
  device::for_each_item(view.words, [&](std::uint64_t w) {
    view.visited[w] = view.never[w] | (w == view.root / 32 ? 1u << (view.root % 32) : 0);
    view.before[w] = 0;
    if (w == view.root / 32) view.settle(view.root, view.vertex_of(view.root), 0);
  });
}

template <typename Parent>
__global__ void cut_lists_warp_per_list(SearchView<Parent> view, PartCursor cursor, LevelPlan plan, PartTally* tally)
{
  unsigned const warps_of_block = blockDim.x / warp_threads;
  cut_long_lists(view, cursor.counted(*tally), plan, blockIdx.x * warps_of_block + warp_id(),
                 gridDim.x * warps_of_block, &tally->pieces);
}

// Targets of one kind; `asked` are those that a pull is for, null: all, and `mark` is what finding any of them means.
template <typename Parent>
__global__ __launch_bounds__(block_threads, blocks_per_multiprocessor) void expand_frontier(
    const __grid_constant__ SearchView<Parent> view, PartCursor cursor, LevelPlan plan, const std::uint32_t* asked,
    unsigned mark, PartTally* tally)
{
  __shared__ std::uint32_t pending[block_warps][most_pending];
  PartFindings found(asked);
  unsigned const warp = warp_id() * gridDim.x + blockIdx.x, warps = gridDim.x * block_warps;
  if (plan.pulls) pull_waiting(view, cursor.level, plan, warp, warps, pending[warp_id()], found);
  if (plan.pushes) push_frontier(view, cursor.counted(*tally), plan, tally->pieces, warp, warps, found);
  found.finish(tally, mark);
}

// Waiting delegates look for a parent among their normal neighbours alone: the rule of Pan, Pearce and Owens pulls nd
// while dd is still pushed, which the limit of a pull cannot say.
template <typename Parent>
__global__ void pull_normals_warp_per_delegate(SearchView<Parent> view, std::int32_t level, PartTally* tally)
{
  PartFindings found;
  device::for_each_item(std::uint64_t{view.delegates} * warp_threads, [&](std::uint64_t item) {
    auto const rank = static_cast<std::uint32_t>(item / warp_threads);
    std::uint32_t const bit = 1u << (rank % 32);
    if ((__ldcg(view.visited + rank / 32) & bit) != 0) return;
    EdgeIndex const last = view.in.last(rank);
    for (EdgeIndex base = view.in.split(rank); base < last; base += warp_threads) {
      EdgeIndex const e = base + lane_id();
      std::uint32_t const slot = e < last ? view.normal_base + view.in.targets[e] : no_vertex;
      found.add_checked(e < last);
      bool const hit = e < last && (view.before[slot / 32] >> (slot % 32) & 1) != 0;
      unsigned const hits = __ballot_sync(all_lanes, hit);
      if (hits == 0) continue;
      if (lane_id() == __ffs(hits) - 1) {
        atomicOr(view.visited + rank / 32, bit);
        view.settle(rank, view.vertex_of(slot), level);
        found.add(rank, {});
      }
      break;
    }
  });
  found.finish(tally, 1);
}

// Those of the vertices that arrived that are new are listed behind `listed` of `claimed`: their parents are asked for
// when the search is over.
template <typename Parent>
__global__ void claim_arrived_warp_per_32(SearchView<Parent> view, const __grid_constant__ Arrivals<Vertex> arrivals,
                                          unsigned listed, Vertex* claimed, PartTally* tally)
{
  std::uint64_t const total = arrivals.total(), stride = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * blockDim.x + warp_id() * warp_threads;
  for (std::uint64_t base = first; base < total; base += stride) {
    std::uint64_t const i = base + lane_id();
    bool fresh = false;
    Vertex v = 0;
    if (i < total) {
      unsigned const piece = arrivals.piece_of(i);
      v = arrivals.item(piece, i);
      std::uint32_t const slot = view.normal_base + v, bit = 1u << (slot % 32);
      fresh = (__ldcg(view.visited + slot / 32) & bit) == 0 && (atomicOr(view.visited + slot / 32, bit) & bit) == 0;
      if (fresh) view.parents[v] = found_by<Parent>(arrivals.devices[piece]);
    }
    unsigned const all = __ballot_sync(all_lanes, fresh);
    unsigned place = 0;
    if (lane_id() == 0 && all != 0) place = listed + atomicAdd(&tally->claimed, __popc(all));
    place = __shfl_sync(all_lanes, place, 0) + __popc(all & lanes_below());
    if (fresh) claimed[place] = v;
  }
}

// Targets of the frontier's far lists. Own ones are claimed on the spot, the others go to the bins of their devices;
// with `sent`, one bit per vertex from numbers_before[device] on, none goes twice.
template <typename Parent>
__global__ __launch_bounds__(deal_threads) void deal_far_targets(SearchView<Parent> view, FarLists lists,
                                                                 std::uint64_t entries, BinsView bins, int own_device,
                                                                 std::int32_t level, std::uint32_t* sent,
                                                                 const std::uint64_t* numbers_before, Vertex* numbers)
{
  auto const claim = [&](Vertex v, Vertex parent) {
    std::uint32_t const slot = view.normal_base + v, bit = 1u << (slot % 32);
    if ((__ldcg(view.visited + slot / 32) & bit) != 0) return;
    if ((atomicOr(view.visited + slot / 32, bit) & bit) == 0) view.settle(slot, parent, level);
  };
  auto const visit = [&](std::uint64_t list, FarVertex target) -> FarVertex {
    if (device_of(target) == own_device) {
      claim(number_of(target), lists.owners[list]);
      return nobody;
    }
    if (sent == nullptr) return target;
    std::uint64_t const place = numbers_before[device_of(target)] + number_of(target);
    std::uint32_t const bit = 1u << (place % 32);
    return (atomicOr(sent + place / 32, bit) & bit) != 0 ? nobody : target;
  };
  auto const store = [&](std::uint64_t, FarVertex target, std::uint64_t place) { numbers[place] = number_of(target); };
  deal_lists(lists, entries, bins, visit, store);
}

}  // namespace brushfire::cuda
