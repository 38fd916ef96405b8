// The two ways to make a queue by looking at every vertex (paper 4): single-scan, in no order, one atomic per block;
// and double-scan, which counts, sums up and then writes, and so comes out sorted. Both read side by side. Beyond the
// paper, the first of the two scans keeps its ballots, and the second reads one bit per vertex instead of its status.
#pragma once

#include "traverse/cuda/adaptive_kernels.cuh"

#include <cub/block/block_reduce.cuh>

namespace brushfire::adaptive {

// The vertices of one level: a frontier.
struct AtLevel {
  const std::int32_t* status;
  std::int32_t level;
  __device__ bool operator()(Vertex v) const { return status[v] == level; }
};

// The vertices a pull asks: not visited, and with somebody to ask.
struct StillWaiting {
  const Mark* marks;
  RowsView rows;
  __device__ bool operator()(Vertex v) const { return marks[v] == unvisited_mark && rows.length(v) > 0; }
};

inline constexpr unsigned scanned_per_thread = 16;
inline constexpr unsigned scanned_per_block = device::block_threads * scanned_per_thread;

// Appends the wanted items to a queue whose end is *tail and which held *tail == before when it was empty.
static __global__ __launch_bounds__(device::block_threads) void collect_block_per_piece(ItemsView items, AtLevel wanted,
                                                                                        RowsView rows, Amount* tail,
                                                                                        Amount before, QueueView queue)
{
  __shared__ AmountScan::TempStorage scan;
  __shared__ Amount shared_place;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * scanned_per_block + threadIdx.x;
  std::uint32_t chosen = 0;
#pragma unroll
  for (unsigned k = 0; k < scanned_per_thread; ++k) {
    std::uint64_t const i = first + k * device::block_threads;
    if (i < items.count && wanted(items[i])) chosen |= 1u << k;
  }
  if (__syncthreads_or(chosen != 0) == 0) return;
  Amount gained = 0;
  for (std::uint32_t rest = chosen; rest != 0; rest &= rest - 1)
    gained += amount(1, rows.length(items[first + (__ffs(rest) - 1) * device::block_threads]));
  Amount place = take_places(gained, tail, scan, shared_place) - before;
  for (std::uint32_t rest = chosen; rest != 0; rest &= rest - 1) {
    Vertex const v = items[first + (__ffs(rest) - 1) * device::block_threads];
    queue.put(place, v);
    place += amount(1, rows.length(v));
  }
}

inline constexpr unsigned rounds_per_segment = 8;
inline constexpr unsigned segment_items = device::block_threads * rounds_per_segment;
inline constexpr unsigned ballots_per_segment = segment_items / 32;

// Scan I: how much each segment holds, and which of its items.
template <typename Wanted>
__global__ __launch_bounds__(device::block_threads) void count_block_per_segment(ItemsView items, Wanted wanted,
                                                                                 RowsView rows, std::uint32_t* ballots,
                                                                                 Amount* segments)
{
  using Sum = cub::BlockReduce<Amount, device::block_threads>;
  __shared__ typename Sum::TempStorage scratch;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * segment_items + threadIdx.x;
  Amount mine = 0;
#pragma unroll
  for (unsigned round = 0; round < rounds_per_segment; ++round) {
    std::uint64_t const i = first + round * device::block_threads;
    Vertex const v = i < items.count ? items[i] : no_vertex;
    bool const chosen = v != no_vertex && wanted(v);
    std::uint32_t const ballot = __ballot_sync(~0u, chosen);
    if (threadIdx.x % 32 == 0) ballots[i / 32] = ballot;
    if (chosen) mine += amount(1, rows.length(v));
  }
  Amount const all = Sum(scratch).Sum(mine);
  if (threadIdx.x == 0) segments[blockIdx.x] = all;
}

inline constexpr unsigned sum_threads = 512;
inline constexpr unsigned sums_per_thread = 4;

// Each segment's amount becomes that of all segments before it; *total = before + that of all.
static __global__ __launch_bounds__(sum_threads) void sum_one_block(Amount* segments, std::uint64_t count,
                                                                    Amount before, Amount* total)
{
  using Scan = cub::BlockScan<Amount, sum_threads>;
  __shared__ typename Scan::TempStorage scratch;
  Amount so_far = 0;
  for (std::uint64_t piece = 0; piece < count; piece += sum_threads * sums_per_thread) {
    std::uint64_t const first = piece + threadIdx.x * sums_per_thread;
    Amount sums[sums_per_thread], all = 0;
#pragma unroll
    for (unsigned k = 0; k < sums_per_thread; ++k) sums[k] = first + k < count ? segments[first + k] : 0;
    Scan(scratch).ExclusiveSum(sums, sums, all);
#pragma unroll
    for (unsigned k = 0; k < sums_per_thread; ++k)
      if (first + k < count) segments[first + k] = so_far + sums[k];
    so_far += all;
    __syncthreads();  // before `scratch` is used again
  }
  if (threadIdx.x == 0) *total = before + so_far;
}

// Scan II: the chosen items, in order, to where the sums say.
static __global__ __launch_bounds__(device::block_threads) void write_block_per_segment(ItemsView items, RowsView rows,
                                                                                        const std::uint32_t* ballots,
                                                                                        const Amount* segments,
                                                                                        QueueView queue)
{
  __shared__ AmountScan::TempStorage scan;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * segment_items + threadIdx.x;
  Amount base = segments[blockIdx.x];
  for (unsigned round = 0; round < rounds_per_segment; ++round) {
    std::uint64_t const i = first + round * device::block_threads;
    bool const chosen = (ballots[i / 32] >> (threadIdx.x % 32) & 1) != 0;
    Vertex const v = chosen ? items[i] : no_vertex;
    Amount before = 0, all = 0;
    // Lengths matter only where the queue keeps offsets.
    Amount const mine = chosen ? amount(1, queue.offsets != nullptr ? rows.length(v) : 0) : 0;
    AmountScan(scan).ExclusiveSum(mine, before, all);
    if (chosen) queue.put(base + before, v);
    base += all;
    __syncthreads();  // before `scan` is used again
  }
}

}  // namespace brushfire::adaptive
