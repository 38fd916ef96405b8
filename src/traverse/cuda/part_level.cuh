// The kernels of one level of a part. Pushing and pulling inside the part is the code of a device alone; visited bits
// are the only frontier that a level leaves, whoever set them: the part's own lists, a vertex that arrived, the mask of
// delegates. gather_frontier then makes a queue of what is new.
#pragma once

#include "device/launch.cuh"
#include "traverse/cuda/far_lists.cuh"
#include "traverse/cuda/pull.cuh"
#include "traverse/cuda/push.cuh"
#include "traverse/finder.hpp"

#include <cstddef>

namespace brushfire::cuda {

// What a level adds up; the frontier is the one to come.
struct PartTally {
  Count checked;
  Count entries[2][source_classes];  // of the frontier, to delegates and to normals
  Count far_entries;
  unsigned left_waiting[2];  // delegates, normals: of the frontier, those that were waiting
  unsigned frontier[2];      // and all of them
  unsigned queued, queued_longs;
  unsigned far_lists;
  unsigned pieces;  // of this level's long lists
  unsigned mask_changed;
  unsigned delegates_at_home;  // found by anybody
  unsigned target_reached;
  unsigned asking;  // when it is over: vertices that ask other devices for their parent
  Count questions;
};

// Where the far lists of a frontier are listed.
struct FarListsBuilt {
  Vertex* owners;
  EdgeIndex* firsts;
  std::uint64_t* lengths;
};

struct ExpandMemory {
  LevelTally tally;
  std::uint32_t staged[block_warps][staged_per_warp];
  std::uint32_t pending[block_warps][most_pending];
};

// Parents are all -1 by now, levels all unreached.
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
__global__ void cut_lists_warp_per_list(SearchView<Parent> view, const __grid_constant__ Cursor cursor, LevelPlan plan,
                                        PartTally* tally)
{
  unsigned const warps_of_block = blockDim.x / warp_threads;
  cut_long_lists(view, cursor, plan, blockIdx.x * warps_of_block + warp_id(), gridDim.x * warps_of_block,
                 &tally->pieces);
}

template <typename Parent>
__global__ __launch_bounds__(block_threads, blocks_per_multiprocessor) void expand_frontier(
    const __grid_constant__ SearchView<Parent> view, const __grid_constant__ Cursor cursor, LevelPlan plan,
    PartTally* tally)
{
  __shared__ ExpandMemory block;
  auto* const words = reinterpret_cast<unsigned*>(&block.tally);
  for (unsigned i = threadIdx.x; i < sizeof(LevelTally) / sizeof(unsigned); i += block_threads) words[i] = 0;
  __syncthreads();
  Discoveries<Parent> found(view, block.tally, block.staged[warp_id()], QueueEnd{});
  unsigned const warp = warp_id() * gridDim.x + blockIdx.x, warps = gridDim.x * block_warps;
  if (plan.pulls) pull_waiting(view, cursor, plan, warp, warps, block.pending[warp_id()], found);
  if (plan.pushes) push_frontier(view, cursor, plan, tally->pieces, warp, warps, found);
  found.finish();
  __syncthreads();
  if (threadIdx.x == 0 && block.tally.checked != 0) atomicAdd(&tally->checked, block.tally.checked);
}

// Waiting delegates look for a parent among their normal neighbours alone: the rule of Pan, Pearce and Owens pulls nd
// while dd is still pushed, which the limit of a pull cannot say.
template <typename Parent>
__global__ void pull_normals_warp_per_delegate(SearchView<Parent> view, std::int32_t level, PartTally* tally)
{
  Count checked = 0;
  device::for_each_item(std::uint64_t{view.delegates} * warp_threads, [&](std::uint64_t item) {
    auto const rank = static_cast<std::uint32_t>(item / warp_threads);
    std::uint32_t const bit = 1u << (rank % 32);
    if ((__ldcg(view.visited + rank / 32) & bit) != 0) return;
    EdgeIndex const last = view.in.last(rank);
    for (EdgeIndex base = view.in.split(rank); base < last; base += warp_threads) {
      EdgeIndex const e = base + lane_id();
      std::uint32_t const slot = e < last ? view.normal_base + view.in.targets[e] : no_vertex;
      checked += e < last;
      bool const hit = e < last && (view.before[slot / 32] >> (slot % 32) & 1) != 0;
      unsigned const hits = __ballot_sync(all_lanes, hit);
      if (hits == 0) continue;
      if (lane_id() == __ffs(hits) - 1) {
        atomicOr(view.visited + rank / 32, bit);
        view.settle(rank, view.vertex_of(slot), level);
      }
      break;
    }
  });
  checked = sum_over_warp(checked);
  if (lane_id() == 0 && checked != 0) atomicAdd(&tally->checked, checked);
}

// The delegates that this level has found here, in words of 64 bits.
template <typename Parent>
__global__ void fill_mask_thread_per_word(SearchView<Parent> view, std::uint64_t words, std::uint64_t* mask,
                                          PartTally* tally)
{
  device::for_each_item(words, [&](std::uint64_t w) {
    auto const found = [&](std::uint64_t word) -> std::uint64_t {
      return word < view.normal_base / 32 ? view.visited[word] & ~view.never[word] & ~view.before[word] : 0;
    };
    std::uint64_t const bits = found(2 * w) | found(2 * w + 1) << 32;
    mask[w] = bits;
    if (bits != 0) tally->mask_changed = 1;
  });
}

// Delegates that anybody found are visited, and counted where they live.
template <typename Parent>
__global__ void take_mask_thread_per_word(SearchView<Parent> view, const std::uint64_t* mask, const FarVertex* homes,
                                          int device, std::int32_t level, PartTally* tally)
{
  device::for_each_item(view.normal_base / 32, [&](std::uint64_t w) {
    auto bits = static_cast<std::uint32_t>(mask[w / 2] >> (w % 2 * 32));
    if (bits == 0) return;
    view.visited[w] |= bits;
    unsigned at_home = 0;
    for (; bits != 0; bits &= bits - 1) {
      auto const rank = static_cast<std::uint32_t>(w * 32 + __ffs(bits) - 1);
      view.levels[view.vertex_of(rank)] = level;
      if (device_of(homes[rank]) == device) ++at_home;
      if (rank == view.target) tally->target_reached = 1;
    }
    if (at_home != 0) atomicAdd(&tally->delegates_at_home, at_home);
  });
}

// Vertices that another device found.
template <typename Parent>
__global__ void claim_arrived_thread_per_vertex(SearchView<Parent> view, const Vertex* arrived, std::uint64_t count,
                                                Parent finder, std::int32_t level)
{
  device::for_each_item(count, [&](std::uint64_t i) {
    Vertex const v = arrived[i];
    std::uint32_t const slot = view.normal_base + v, bit = 1u << (slot % 32);
    if ((__ldcg(view.visited + slot / 32) & bit) != 0) return;
    if ((atomicOr(view.visited + slot / 32, bit) & bit) != 0) return;
    view.parents[v] = finder;
    view.levels[v] = level;
  });
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

struct GatherMemory {
  LevelTally unused;
  Count entries[2][source_classes];
  Count far_entries;
  unsigned left_waiting[2], frontier[2];
  std::uint32_t staged[block_warps][staged_per_warp];
};

// Adds a block's counts to those of the level.
__device__ inline void add_gathered(const GatherMemory& block, PartTally& tally)
{
  auto const add = [](auto& sum, auto value) {
    if (value != 0) atomicAdd(&sum, value);
  };
  for (unsigned i = threadIdx.x; i < 2 * source_classes; i += blockDim.x)
    add(tally.entries[i / source_classes][i % source_classes], block.entries[i / source_classes][i % source_classes]);
  if (threadIdx.x >= 2) return;
  add(tally.left_waiting[threadIdx.x], block.left_waiting[threadIdx.x]);
  add(tally.frontier[threadIdx.x], block.frontier[threadIdx.x]);
  if (threadIdx.x == 0) add(tally.far_entries, block.far_entries);
}

// Lists what has been visited since the last call: those with lists in the part in the queue, long ones apart, and the
// lists that lead elsewhere. A warp takes 32 words of bits at a time. All threads of a block together.
template <typename Parent>
__global__ __launch_bounds__(block_threads) void gather_frontier(SearchView<Parent> view, FarRowsView far_rows,
                                                                 FarListsBuilt far, PartTally* tally)
{
  __shared__ GatherMemory block;
  auto* const cleared = reinterpret_cast<unsigned*>(&block);
  for (unsigned i = threadIdx.x; i < offsetof(GatherMemory, staged) / sizeof(unsigned); i += block_threads)
    cleared[i] = 0;
  __syncthreads();
  Discoveries<Parent> gathered(view, block.unused, block.staged[warp_id()],
                               QueueEnd{0, 0, &tally->queued, &tally->queued_longs});
  std::uint64_t const threads = std::uint64_t{gridDim.x} * block_threads;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * block_threads + warp_id() * warp_threads;
  Count normal_entries = 0, far_entries = 0;
  for (std::uint64_t base = first; base < view.words; base += threads) {
    std::uint64_t const w = base + lane_id();
    std::uint32_t fresh = 0;
    if (w < view.words) {
      std::uint32_t const reached =
          (view.visited[w] & ~view.never[w]) | (w == view.root / 32 ? 1u << (view.root % 32) : 0);
      fresh = reached & ~view.before[w];
      view.before[w] = reached;
      unsigned const kind = w < view.normal_base / 32 ? 0 : 1;
      if (fresh != 0) {
        atomicAdd(&block.left_waiting[kind], __popc(fresh & ~view.never[w]));
        atomicAdd(&block.frontier[kind], __popc(fresh));
      }
    }
    for (unsigned words = __ballot_sync(all_lanes, fresh != 0); words != 0; words &= words - 1) {
      unsigned const k = __ffs(words) - 1;
      auto const slot = static_cast<std::uint32_t>((base + k) * 32 + lane_id());
      bool const wanted = (__shfl_sync(all_lanes, fresh, k) >> lane_id() & 1) != 0;
      ListLength length;
      std::uint32_t far_length = 0;
      if (wanted) {
        std::uint32_t const row = view.row_of(slot);
        length = {view.out.length(row), view.out.delegate_length(row)};
        if (slot == view.target) tally->target_reached = 1;
        if (slot < view.delegates) {
          unsigned const its_class = view.class_of(slot);
          atomicAdd(&block.entries[0][its_class], Count{length.to_delegates});
          atomicAdd(&block.entries[1][its_class], Count{length.all - length.to_delegates});
        } else {
          normal_entries += length.all;  // to delegates, all of them
          far_length = far_rows.length(slot - view.normal_base);
          far_entries += far_length;
        }
      }
      std::uint32_t const slots[] = {slot};
      ListLength const lengths[] = {length};
      gathered.enqueue(wanted && length.all != 0, slots, lengths);
      unsigned const leading = __ballot_sync(all_lanes, far_length != 0);
      if (leading == 0) continue;
      unsigned place = 0;
      if (lane_id() == 0) place = atomicAdd(&tally->far_lists, __popc(leading));
      place = __shfl_sync(all_lanes, place, 0) + __popc(leading & lanes_below());
      if (far_length != 0) {
        far.owners[place] = slot - view.normal_base;
        far.firsts[place] = far_rows.first(slot - view.normal_base);
        far.lengths[place] = far_length;
      }
    }
  }
  gathered.finish();
  normal_entries = sum_over_warp(normal_entries);
  far_entries = sum_over_warp(far_entries);
  if (lane_id() == 0 && normal_entries != 0) atomicAdd(&block.entries[0][normal_class], normal_entries);
  if (lane_id() == 0 && far_entries != 0) atomicAdd(&block.far_entries, far_entries);
  __syncthreads();
  add_gathered(block, *tally);
}

}  // namespace brushfire::cuda
