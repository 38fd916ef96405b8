// The adaptive preset's bottom-up: every waiting vertex looks through its in-neighbours for one of the frontier, one
// thread per vertex whatever its degree, because how far it must look does not follow from its degree (paper 5.1).
// The kernels differ in who gets which vertex. A waiting vertex is asked by one thread at a time, so nothing is
// claimed.
//
// Asynchronous (paper 5.2): a vertex that looked through its whole list, saw nobody of the frontier's level l but
// somebody of level l+1, is of level l+2. This is exact: level l was complete before the kernel began, so nobody
// seen means nobody there; and level l+1 is only ever written by whoever has a neighbour on level l, in
// this kernel or ahead in the one before. A neighbour seen too early to be marked only means that the vertex waits
// for the next level, as it would without.
#pragma once

#include "traverse/cuda/adaptive_kernels.cuh"

#include <cub/block/block_reduce.cuh>

namespace brushfire::adaptive {

// Beyond the paper: a thread gives up on a list after so many entries, and a block goes through it. Lists looked
// through in vain are what made the paper's own balancing slower on one graph (6.3).
inline constexpr std::uint32_t patience = 256;
inline constexpr unsigned looks_at_once = 4;       // entries of a list in flight per thread
inline constexpr unsigned taken_by_thread = 8;     // one sector of the queue
inline constexpr unsigned taken_by_warp = 4 * 32;  // the paper takes 32; four times as many spare the one counter
inline constexpr unsigned entries_between_votes = 5;
inline constexpr unsigned all_lanes = ~0u;

template <typename Parent>
struct PullView {
  SearchView<Parent> search;
  ItemsView waiting;
  bool counted_on_device;  // the queue was made in this level, and the device knows how long it is
  QueueView deferred;
  Mark early;  // mark of the next level, never_a_mark when nobody is to be found ahead

  __device__ std::uint64_t count() const
  {
    return counted_on_device ? vertices_in(search.counters->waiting) : waiting.count;
  }
};

// What a vertex saw.
struct Sighting {
  Vertex parent = no_vertex;  // somebody of the frontier
  Vertex early = no_vertex;   // somebody of the next level
};

struct PullTally {
  Amount found = 0;
  Amount early = 0;
  unsigned long long checked = 0;
};

// One more neighbour; true when there is no need to look further.
template <typename Parent>
__device__ bool look_at(const PullView<Parent>& pull, Vertex neighbour, Mark mark, Sighting& sighting)
{
  if (mark == pull.early) sighting.early = neighbour;
  if (mark != mark_of(pull.search.level)) return false;
  sighting.parent = neighbour;
  return true;
}

// Entries first ... first + length of one list, a few in flight at a time.
template <typename Parent>
__device__ Sighting look_through(const PullView<Parent>& pull, Vertex v, EdgeIndex first, std::uint32_t length,
                                 PullTally& tally)
{
  Sighting sighting;
  const Vertex* const targets = pull.search.in.targets + first;
  for (std::uint32_t at = 0; at < length; at += looks_at_once) {
    Vertex neighbours[looks_at_once];
    Mark marks[looks_at_once];
#pragma unroll
    for (unsigned k = 0; k < looks_at_once; ++k)
      neighbours[k] = at + k < length ? targets[at + k] : v;  // v is unvisited: nobody that anybody looks for
#pragma unroll
    for (unsigned k = 0; k < looks_at_once; ++k) marks[k] = pull.search.marks[neighbours[k]];
#pragma unroll
    for (unsigned k = 0; k < looks_at_once; ++k)
      if (look_at(pull, neighbours[k], marks[k], sighting)) {
        tally.checked += at + k + 1;
        return sighting;
      }
  }
  tally.checked += length;
  return sighting;
}

// For a vertex that has seen enough, or everything.
template <typename Parent>
__device__ void settle_sighting(const PullView<Parent>& pull, Vertex v, const Sighting& sighting, PullTally& tally)
{
  const SearchView<Parent>& search = pull.search;
  if (sighting.parent != no_vertex) {
    search.settle(v, search.level + 1, sighting.parent);
    tally.found += amount(1, search.out.length(v));
  } else if (sighting.early != no_vertex) {
    search.settle(v, search.level + 2, sighting.early);
    tally.early += amount(1, search.out.length(v));
  }
}

template <typename Parent>
__device__ void ask(const PullView<Parent>& pull, std::uint64_t i, PullTally& tally)
{
  const SearchView<Parent>& search = pull.search;
  Vertex const v = pull.waiting[i];
  if (search.visited(v)) return;
  std::uint32_t const length = search.in.length(v);
  PullTally looks;
  Sighting const sighting = look_through(pull, v, search.in.first(v), min(length, patience), looks);
  if (sighting.parent == no_vertex && length > patience) {  // its entries are counted when the block looks at them
    pull.deferred.put(atomicAdd(&search.counters->deferred, amount(1, 0)) - search.before.deferred, v);
    return;
  }
  tally.checked += looks.checked;
  settle_sighting(pull, v, sighting, tally);
}

// Every thread of the block calls it, once, at the end of its kernel.
template <typename Parent>
__device__ void add_up(const PullView<Parent>& pull, const PullTally& tally)
{
  using Sum = cub::BlockReduce<unsigned long long, device::block_threads>;
  __shared__ typename Sum::TempStorage scratch[3];
  unsigned long long const found = Sum(scratch[0]).Sum(tally.found);
  unsigned long long const early = Sum(scratch[1]).Sum(tally.early);
  unsigned long long const checked = Sum(scratch[2]).Sum(tally.checked);
  if (threadIdx.x != 0) return;
  Counters& counters = *pull.search.counters;
  if (found != 0) atomicAdd(&counters.found, found);
  if (early != 0) atomicAdd(&counters.early, early);
  if (checked != 0) atomicAdd(&counters.checked, checked);
}

__device__ inline std::uint64_t thread_in_grid() { return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
__device__ inline std::uint64_t threads_in_grid() { return std::uint64_t{gridDim.x} * blockDim.x; }

// The next piece of the waiting vertices, behind the first pieces, which are handed out by number.
template <typename Parent>
__device__ std::uint64_t take_piece(const PullView<Parent>& pull, std::uint64_t handed_out, unsigned size)
{
  return handed_out + atomicAdd(&pull.search.counters->cursor, size) - pull.search.before.cursor;
}

template <typename Parent>
__device__ std::uint64_t take_piece_for_warp(const PullView<Parent>& pull)
{
  std::uint64_t piece = 0;
  if (threadIdx.x % 32 == 0) piece = take_piece(pull, threads_in_grid() / 32 * taken_by_warp, taken_by_warp);
  return __shfl_sync(all_lanes, piece, 0);
}

template <typename Parent>
__global__ __launch_bounds__(device::block_threads) void pull_thread_per_static_share(PullView<Parent> pull)
{
  PullTally tally;
  std::uint64_t const count = pull.count();
  for (std::uint64_t i = thread_in_grid(); i < count; i += threads_in_grid()) ask(pull, i, tally);
  add_up(pull, tally);
}

// Algorithm 1 of the paper, a few vertices at a time.
template <typename Parent>
__global__ __launch_bounds__(device::block_threads) void pull_thread_per_taken_piece(PullView<Parent> pull)
{
  PullTally tally;
  std::uint64_t const count = pull.count();
  std::uint64_t const handed_out = threads_in_grid() * taken_by_thread;
  for (std::uint64_t piece = thread_in_grid() * taken_by_thread; piece < count;
       piece = take_piece(pull, handed_out, taken_by_thread)) {
    std::uint64_t const end = min(count, piece + taken_by_thread);
    for (std::uint64_t i = piece; i < end; ++i) ask(pull, i, tally);
  }
  add_up(pull, tally);
}

// Algorithm 2 of the paper: one lane takes for its warp.
template <typename Parent>
__global__ __launch_bounds__(device::block_threads) void pull_warp_per_taken_piece(PullView<Parent> pull)
{
  PullTally tally;
  std::uint64_t const count = pull.count();
  for (std::uint64_t piece = thread_in_grid() / 32 * taken_by_warp; piece < count; piece = take_piece_for_warp(pull)) {
    std::uint64_t const end = min(count, piece + taken_by_warp);
    for (std::uint64_t i = piece + threadIdx.x % 32; i < end; i += 32) ask(pull, i, tally);
  }
  add_up(pull, tally);
}

// What one of the lanes that saw anybody saw.
__device__ inline Vertex any_in_warp(Vertex seen)
{
  unsigned const lanes = __ballot_sync(all_lanes, seen != no_vertex);
  return lanes == 0 ? no_vertex : __shfl_sync(all_lanes, seen, __ffs(lanes) - 1);
}

// The rest of one lane's list, from `at`, by all lanes of its warp; `first`, `at` and `length` are that lane's.
template <typename Parent>
__device__ void look_together(const PullView<Parent>& pull, unsigned lane_in_need, EdgeIndex first, std::uint32_t at,
                              std::uint32_t length, Sighting& sighting, PullTally& tally)
{
  first = __shfl_sync(all_lanes, first, lane_in_need);
  at = __shfl_sync(all_lanes, at, lane_in_need);
  length = __shfl_sync(all_lanes, length, lane_in_need);
  unsigned const lane = threadIdx.x % 32;
  Sighting mine;
  Vertex parent = no_vertex;
  for (; at < length && parent == no_vertex; at += 32) {
    if (at + lane < length) {
      Vertex const neighbour = pull.search.in.targets[first + at + lane];
      look_at(pull, neighbour, pull.search.marks[neighbour], mine);
      ++tally.checked;
    }
    parent = any_in_warp(mine.parent);
  }
  Vertex const early = any_in_warp(mine.early);
  if (lane != lane_in_need) return;
  sighting.parent = parent;
  if (early != no_vertex) sighting.early = early;
}

// Intra-warp donation (paper 5.1.2): after every five entries the lanes vote, and when one is left, all help it.
template <typename Parent>
__global__ __launch_bounds__(device::block_threads) void pull_warp_with_donation(PullView<Parent> pull)
{
  const SearchView<Parent>& search = pull.search;
  PullTally tally;
  std::uint64_t const count = pull.count();
  for (std::uint64_t piece = thread_in_grid() / 32 * taken_by_warp; piece < count; piece = take_piece_for_warp(pull)) {
    std::uint64_t const end = min(count, piece + taken_by_warp);
    for (std::uint64_t round = piece; round < end; round += 32) {
      std::uint64_t const i = round + threadIdx.x % 32;
      Vertex const v = i < end ? pull.waiting[i] : no_vertex;
      bool const asked = v != no_vertex && !search.visited(v);
      EdgeIndex const first = asked ? search.in.first(v) : 0;
      std::uint32_t const length = asked ? search.in.length(v) : 0;
      std::uint32_t at = 0;
      Sighting sighting;
      while (unsigned const looking = __ballot_sync(all_lanes, at < length && sighting.parent == no_vertex)) {
        if (__popc(looking) == 1) {
          look_together(pull, __ffs(looking) - 1, first, at, length, sighting, tally);
          break;
        }
        std::uint32_t const stop = sighting.parent == no_vertex ? min(length, at + entries_between_votes) : at;
        for (; at < stop; ++at) {
          Vertex const neighbour = search.in.targets[first + at];
          ++tally.checked;
          if (look_at(pull, neighbour, search.marks[neighbour], sighting)) break;
        }
      }
      if (asked) settle_sighting(pull, v, sighting, tally);
    }
  }
  add_up(pull, tally);
}

// The lists that single threads gave up on, from their start, since who was marked meanwhile counts too.
template <typename Parent>
__global__ __launch_bounds__(device::block_threads) void pull_deferred_block_per_vertex(PullView<Parent> pull)
{
  const SearchView<Parent>& search = pull.search;
  __shared__ Vertex parent, early;
  PullTally tally;
  std::uint64_t const count = vertices_in(search.counters->deferred - search.before.deferred);
  for (std::uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
    Vertex const v = pull.deferred.vertices[i];
    EdgeIndex const first = search.in.first(v);
    std::uint32_t const length = search.in.length(v);
    if (threadIdx.x == 0) parent = early = no_vertex;
    Sighting mine;
    bool found = false;
    for (std::uint32_t at = 0; at < length && !found; at += tile_entries) {
#pragma unroll
      for (unsigned k = 0; k < entries_per_thread; ++k) {
        std::uint32_t const entry = at + k * device::block_threads + threadIdx.x;
        if (entry >= length) continue;
        Vertex const neighbour = search.in.targets[first + entry];
        look_at(pull, neighbour, search.marks[neighbour], mine);
        ++tally.checked;
      }
      found = __syncthreads_or(mine.parent != no_vertex) != 0;  // and the shared ones are reset
    }
    if (mine.parent != no_vertex) atomicMin(&parent, mine.parent);
    if (mine.early != no_vertex) atomicMin(&early, mine.early);
    __syncthreads();
    if (threadIdx.x == 0) settle_sighting(pull, v, {parent, early}, tally);
    __syncthreads();  // before they are reset
  }
  add_up(pull, tally);
}

}  // namespace brushfire::adaptive
