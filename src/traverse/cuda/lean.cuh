// Lean levels: the frontiers of long-diameter graphs, thousands to millions of levels with few vertices and short lists
// each. Nothing but latency counts there, so a thread walks a list, few numbers are kept, and the cursor is brought up
// to date only at the end. A frontier that one block can take, a thread per vertex, is searched by block 0
// alone, and its levels end at a barrier of the block; larger ones end at a barrier over one block per multiprocessor.
// Only for graphs without delegates: with hubs there are no long diameters, but where a tail hangs off.
#pragma once

#include "traverse/cuda/discoveries.cuh"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace brushfire::cuda {

inline constexpr std::uint32_t lean_list = 8;  // entries
inline constexpr std::uint32_t most_lean_vertices = 1 << 15;
inline constexpr std::uint32_t most_vertices_alone = 128;  // for one block: more keep its load unit busy for too long

// Where the search stands, the same in every block.
struct LeanCursor {
  std::int32_t level;
  unsigned begin, count;  // in the queue
  unsigned longs_begin;
  Count entries;  // of the frontier
  unsigned logged;
  unsigned turn;                               // which of the three tallies was filled last
  std::uint64_t expanded_entries, discovered;  // since the lean levels began
  std::uint64_t started;
  unsigned longs, longest;  // of the frontier: long lists, and entries of the longest
  bool finished;
  bool goes_on;  // with lean levels
};

template <typename Parent>
__device__ bool is_lean(const SearchView<Parent>& view, const Cursor& cursor)
{
  return view.lean && cursor.has_queue && cursor.longs_count == 0 && cursor.longest <= lean_list &&
         cursor.queue_count <= most_lean_vertices && cursor.frontier_entries <= view.most_surely_pushed;
}

// After a level; by one thread.
template <typename Parent>
__device__ void advance_lean(const SearchView<Parent>& view, const LeanTally& tally, LeanCursor& lean, bool logs,
                             unsigned most_levels)
{
  unsigned const discovered = tally.queued + tally.longs;
  if (logs) {
    std::uint64_t const now = nanoseconds_now();
    view.log[lean.logged] = {lean.level, {0, 0}, lean.count, lean.entries, discovered, now - lean.started};
    lean.started = now;
  }
  ++lean.logged;
  lean.expanded_entries += lean.entries;
  lean.discovered += discovered;
  lean.begin += lean.count;
  lean.count = tally.queued;
  lean.longs = tally.longs;
  lean.longest = tally.longest;
  lean.entries = tally.entries;
  if (discovered != 0) ++lean.level;
  lean.finished = discovered == 0 || tally.target_reached != 0 || lean.level == view.max_depth;
  lean.goes_on = !lean.finished && lean.logged < most_levels && lean.longest <= lean_list &&
                 lean.count <= most_lean_vertices && lean.entries <= view.most_surely_pushed;
}

// By one thread.
__device__ inline void leave_lean(const LeanCursor& lean, Cursor& cursor)
{
  cursor.level = lean.level;
  cursor.finished = lean.finished;
  cursor.queue_begin = lean.begin;
  cursor.queue_count = lean.count;
  cursor.longs_count = lean.longs;
  cursor.longest = lean.longest;
  cursor.frontier_normals = lean.count + lean.longs;
  cursor.waiting_normals -= static_cast<std::uint32_t>(lean.discovered);
  cursor.reached += lean.discovered;
  cursor.frontier_entries = lean.entries;
  cursor.in_frontier[1][normal_class] = lean.entries;
  cursor.unexplored[1][normal_class] -= min(cursor.unexplored[1][normal_class], lean.expanded_entries);
  cursor.started = lean.started;
  cursor.logged = lean.logged;
}

// Expands the vertex at `i` of the frontier; lanes beyond its end come along.
template <typename Parent>
__device__ void expand_thread_per_vertex(const SearchView<Parent>& view, const LeanCursor& lean, unsigned i,
                                         LeanTally& tally)
{
  std::uint32_t const slot = i < lean.count ? view.queue[lean.begin + i] : 0;
  std::uint32_t const length = i < lean.count ? view.out.length(slot) : 0;
  EdgeIndex const first = i < lean.count ? view.out.first(slot) : 0;
  constexpr unsigned in_flight = 4;
  for (unsigned base = 0; __any_sync(all_lanes, base < length); base += in_flight) {
    std::uint32_t targets[in_flight], words[in_flight], lengths[in_flight];
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k)
      targets[k] = base + k < length ? view.out.targets[first + base + k] : no_vertex;
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) {
      words[k] = ~0u;
      lengths[k] = 0;
      if (targets[k] == no_vertex) continue;
      lengths[k] = view.out.length(targets[k]);
      words[k] = atomicOr(view.visited + targets[k] / 32, 1u << (targets[k] % 32));
    }
    unsigned fresh = 0, longest = 0, longs = 0;
    Count entries = 0;
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) {
      if ((words[k] >> (targets[k] % 32) & 1) != 0) continue;
      view.settle(targets[k], slot, lean.level + 1);
      fresh |= 1u << k;
      longs |= (lengths[k] >= long_list ? 1u : 0u) << k;
      entries += lengths[k];
      longest = max(longest, lengths[k]);
      if (targets[k] == view.target) tally.target_reached = 1;
    }
    if (!__any_sync(all_lanes, fresh != 0)) continue;
    unsigned const mine = __popc(fresh & ~longs);
    unsigned const end = sum_up_to_lane(mine);
    entries = sum_over_warp(entries);
    unsigned at = 0;
    if (lane_id() == warp_threads - 1) at = atomicAdd(&tally.queued, end);
    at = lean.begin + lean.count + __shfl_sync(all_lanes, at, warp_threads - 1) + end - mine;
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) {
      if ((fresh >> k & 1) == 0) continue;
      if ((longs >> k & 1) != 0)
        view.longs[lean.longs_begin + atomicAdd(&tally.longs, 1)] = targets[k];
      else
        view.queue[at++] = targets[k];
    }
    if (longest > lean_list) atomicMax(&tally.longest, longest);
    if (lane_id() == 0) atomicAdd(&tally.entries, entries);
  }
}

// A barrier over the first `blocks` blocks only; with it a level of a 4096 x 4096 grid took 5.0 to 5.1 us instead
// of 5.2. `passed` counts the barriers so far.
__device__ inline void wait_for_blocks(unsigned* arrivals, unsigned blocks, unsigned& passed)
{
  ++passed;
  __syncthreads();
  if (threadIdx.x == 0) {
    ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> const counter(*arrivals);
    counter.fetch_add(1,
                      ::cuda::memory_order_acq_rel);  // what this block has written is seen by whoever sees the count
    while (counter.load(::cuda::memory_order_acquire) < blocks * passed) {
    }
  }
  __syncthreads();
}

// Takes the search from `cursor` as far as it is lean, and brings the cursor up to date. Called by all blocks; those
// that are not needed wait at its end.
template <typename Parent>
__device__ void run_lean_levels(const SearchView<Parent>& view, Cursor& cursor, LeanCursor& lean,
                                LeanTally& block_tally, unsigned most_levels,
                                const cooperative_groups::grid_group& grid)
{
  if (threadIdx.x == 0)
    lean = {.level = cursor.level,
            .begin = cursor.queue_begin,
            .count = cursor.queue_count,
            .longs_begin = cursor.longs_begin,
            .entries = cursor.frontier_entries,
            .logged = cursor.logged,
            .started = cursor.started,
            .goes_on = true};
  if (blockIdx.x == 0 && threadIdx.x < 3) view.lean_tallies[threadIdx.x] = {};
  if (blockIdx.x == 0 && threadIdx.x == 0) *view.lean_arrivals = 0;
  grid.sync();
  unsigned const blocks = min(gridDim.x, view.multiprocessors);
  unsigned passed = 0;
  while (blockIdx.x < blocks && lean.goes_on) {
    bool const alone = lean.count <= most_vertices_alone;
    if (alone && blockIdx.x != 0) {
      wait_for_blocks(view.lean_arrivals, blocks, passed);  // until block 0 has a frontier for all, or none
      if (threadIdx.x == 0) lean = *view.lean_cursor;
      __syncthreads();
      continue;
    }
    LeanTally& tally = alone ? block_tally : view.lean_tallies[(lean.turn + 1) % 3];
    if (alone && threadIdx.x == 0) block_tally = {};
    if (!alone && blockIdx.x == 0 && threadIdx.x == 0) view.lean_tallies[(lean.turn + 2) % 3] = {};
    if (alone) __syncthreads();
    // Neighbouring warps work in different blocks: a warp's scattered loads keep a load unit busy for a while.
    unsigned const warp = alone ? warp_id() : warp_id() * blocks + blockIdx.x;
    unsigned const warps = alone ? block_warps : blocks * block_warps;
    for (unsigned first = warp * warp_threads; first < lean.count; first += warps * warp_threads)
      expand_thread_per_vertex(view, lean, first + lane_id(), tally);
    if (alone)
      __syncthreads();
    else
      wait_for_blocks(view.lean_arrivals, blocks, passed);
    if (threadIdx.x == 0) {
      const volatile LeanTally& filled = tally;
      advance_lean(view, {filled.queued, filled.longs, filled.longest, filled.target_reached, filled.entries}, lean,
                   blockIdx.x == 0, most_levels);
      if (!alone) lean.turn = (lean.turn + 1) % 3;
    }
    __syncthreads();
    if (alone && !(lean.goes_on && lean.count <= most_vertices_alone)) {
      if (threadIdx.x == 0) *view.lean_cursor = lean;
      wait_for_blocks(view.lean_arrivals, blocks, passed);
    }
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *view.lean_cursor = lean;
  grid.sync();
  if (threadIdx.x == 0) {
    if (blockIdx.x >= blocks) lean = *view.lean_cursor;
    leave_lean(lean, cursor);
  }
  __syncthreads();
}

}  // namespace brushfire::cuda
