// MS-BFS on a GPU, level by level. Words of sources are by slot: delegates by rank, then every Vertex. A level pushes
// or pulls for all sources; either leaves in `next` what it met, and a pass over all slots settles what of it is new.
// Rows of delegates are long and get a block or a warp each; of the others a lane walks the first entries of its own,
// and its warp the rest together.
#pragma once

#include "base/bits.hpp"
#include "build/cuda/rows_view.cuh"
#include "device/launch.cuh"
#include "traverse/cuda/decide.cuh"

#include <brushfire/batch_search.hpp>

#include <cstdint>

namespace brushfire::cuda {

struct BatchCounts {
  Count found[sources_per_batch];
  Count checked;
  Count frontier_entries;  // in the lists of what was found
  Count waiting_entries;   // in those of what some searching source has still to find
};

struct BatchView {
  RowsView out, in;
  Vertex delegates;
  std::uint64_t slots;
  RowNumbersView numbers;
  const Vertex* delegate_vertices;
  Word* seen;  // all bits where nothing leads to
  Word* frontier;
  Word* next;
  std::int32_t* levels;  // null unless wanted: a row of all vertices for each source
  BatchCounts* counts;
  Word searching;      // sources that found something in the level before
  std::int32_t level;  // of what is being found

  __device__ Vertex vertex_of(std::uint32_t slot) const
  {
    return slot < delegates ? delegate_vertices[slot] : slot - delegates;
  }
  __device__ std::uint32_t row_of(std::uint32_t slot) const  // that has one
  {
    return slot < delegates ? slot : numbers.row_of(slot - delegates);
  }
  __device__ std::uint32_t length(const RowsView& lists, std::uint32_t slot) const
  {
    return slot < delegates || numbers.has_row(slot - delegates) ? lists.length(row_of(slot)) : 0;
  }
  __device__ std::uint32_t target_slot(const RowsView& lists, EdgeIndex entry, EdgeIndex split) const
  {
    return lists.targets[entry] + (entry < split ? 0 : delegates);
  }
  __device__ void meet(std::uint32_t row, Word word) const
  {
    // Having looked first spares most atomics. What was met before this look may be missed by it, never invented.
    if ((word & ~(seen[row] | __ldcg(next + row))) == 0) return;
    atomicOr(reinterpret_cast<Count*>(next + row), static_cast<Count>(word));
  }
};

inline constexpr EdgeIndex walked_alone = 8;  // entries

__device__ inline Word or_over_warp(Word word)
{
  for (unsigned offset = warp_threads / 2; offset > 0; offset /= 2) word |= __shfl_xor_sync(all_lanes, word, offset);
  return word;
}

static __global__ void forget_thread_per_slot(BatchView view)
{
  device::for_each_item(view.slots, [=](std::uint64_t i) {
    view.seen[i] = view.length(view.in, static_cast<std::uint32_t>(i)) == 0 ? ~Word{0} : 0;
    view.frontier[i] = 0;
  });
}

// Where a source starts.
struct BatchSource {
  Vertex vertex;
  Vertex rank;  // no_vertex unless it is a delegate
};

static __global__ void start_thread_per_source(BatchView view, const BatchSource* sources, std::uint64_t count,
                                               std::uint64_t vertices)
{
  device::for_each_item(count, [=](std::uint64_t i) {
    auto const [vertex, rank] = sources[i];
    if (view.levels != nullptr) view.levels[i * vertices + vertex] = 0;
    std::uint32_t const slot = rank != no_vertex ? rank : view.delegates + vertex;
    auto const bit = static_cast<Count>(bit_of(i));
    atomicOr(reinterpret_cast<Count*>(view.frontier + slot), bit);
    atomicOr(reinterpret_cast<Count*>(view.seen + slot), bit);
    atomicAdd(&view.counts->frontier_entries, Count{view.length(view.out, slot)});
  });
}

static __global__ void push_block_per_delegate(BatchView view)
{
  for (std::uint32_t row = blockIdx.x; row < view.delegates; row += gridDim.x) {
    Word const word = view.frontier[row];
    if (word == 0) continue;
    EdgeIndex const split = view.out.split(row), last = view.out.last(row);
    for (EdgeIndex e = view.out.first(row) + threadIdx.x; e < last; e += blockDim.x)
      view.meet(view.target_slot(view.out, e, split), word);
    if (threadIdx.x == 0) atomicAdd(&view.counts->checked, Count{view.out.length(row)});
  }
}

static __global__ void push_lane_per_slot(BatchView view)
{
  Count checked = 0;
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t base = view.delegates + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane_id();
       base < view.slots; base += stride) {
    auto const slot = static_cast<std::uint32_t>(base + lane_id());
    Word const word = base + lane_id() < view.slots ? view.frontier[slot] : 0;
    EdgeIndex next = 0, split = 0, last = 0;
    if (word != 0 && view.length(view.out, slot) != 0) {
      std::uint32_t const row = view.row_of(slot);
      next = view.out.first(row);
      split = view.out.split(row);
      last = view.out.last(row);
      checked += last - next;
      for (EdgeIndex const alone = min(last, next + walked_alone); next < alone; ++next)
        view.meet(view.target_slot(view.out, next, split), word);
    }
    for (unsigned left = __ballot_sync(all_lanes, next < last); left != 0; left &= left - 1) {
      int const owner = __ffs(static_cast<int>(left)) - 1;
      Word const its_word = __shfl_sync(all_lanes, word, owner);
      EdgeIndex const its_split = __shfl_sync(all_lanes, split, owner), end = __shfl_sync(all_lanes, last, owner);
      for (EdgeIndex e = __shfl_sync(all_lanes, next, owner) + lane_id(); e < end; e += warp_threads)
        view.meet(view.target_slot(view.out, e, its_split), its_word);
    }
  }
  checked = sum_over_warp(checked);
  if (lane_id() == 0 && checked != 0) atomicAdd(&view.counts->checked, checked);
}

// The words of a list's entries from `first` on, joined until nothing of `missing` is missing. All lanes together.
__device__ inline Word gather_by_warp(const BatchView& view, EdgeIndex first, EdgeIndex split, EdgeIndex last,
                                      Word missing, Word found, Count& checked)
{
  for (EdgeIndex e = first + lane_id(); __any_sync(all_lanes, e < last); e += warp_threads) {
    Word word = 0;
    if (e < last) {
      word = view.frontier[view.target_slot(view.in, e, split)];
      ++checked;
    }
    found |= or_over_warp(word);
    if ((missing & ~found) == 0) break;
  }
  return found;
}

static __global__ void pull_warp_per_delegate(BatchView view)
{
  Count checked = 0;
  std::uint64_t const warps = std::uint64_t{gridDim.x} * warps_of_block();
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * warps_of_block() + warp_id(); i < view.delegates; i += warps) {
    auto const row = static_cast<std::uint32_t>(i);
    Word const missing = view.searching & ~view.seen[row];
    Word found = 0;
    if (missing != 0)
      found = gather_by_warp(view, view.in.first(row), view.in.split(row), view.in.last(row), missing, 0, checked);
    if (lane_id() == 0) view.next[row] = found & missing;
  }
  checked = sum_over_warp(checked);
  if (lane_id() == 0 && checked != 0) atomicAdd(&view.counts->checked, checked);
}

static __global__ void pull_lane_per_slot(BatchView view)
{
  Count checked = 0;
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t base = view.delegates + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane_id();
       base < view.slots; base += stride) {
    auto const slot = static_cast<std::uint32_t>(base + lane_id());
    bool const exists = base + lane_id() < view.slots;
    Word const missing = exists ? view.searching & ~view.seen[slot] : 0;
    Word found = 0;
    EdgeIndex next = 0, split = 0, last = 0;
    if (missing != 0) {  // so it has a row
      std::uint32_t const row = view.row_of(slot);
      next = view.in.first(row);
      split = view.in.split(row);
      last = view.in.last(row);
      EdgeIndex const alone = min(last, next + walked_alone);
      for (; next < alone && (missing & ~found) != 0; ++next, ++checked)
        found |= view.frontier[view.target_slot(view.in, next, split)];
    }
    for (unsigned left = __ballot_sync(all_lanes, next < last && (missing & ~found) != 0); left != 0;
         left &= left - 1) {
      int const owner = __ffs(static_cast<int>(left)) - 1;
      Word const joined =
          gather_by_warp(view, __shfl_sync(all_lanes, next, owner), __shfl_sync(all_lanes, split, owner),
                         __shfl_sync(all_lanes, last, owner), __shfl_sync(all_lanes, missing, owner),
                         __shfl_sync(all_lanes, found, owner), checked);
      if (static_cast<int>(lane_id()) == owner) found = joined;
    }
    if (exists) view.next[slot] = found & missing;
  }
  checked = sum_over_warp(checked);
  if (lane_id() == 0 && checked != 0) atomicAdd(&view.counts->checked, checked);
}

// What of `next` is new is found: seen from now on, counted, and written as levels. A warp has 32 rows, and each of its
// lanes counts for two of the sources.
static __global__ void settle_lane_per_slot(BatchView view, std::uint64_t vertices)
{
  Count found_by_mine[2] = {0, 0}, frontier_entries = 0, waiting_entries = 0;
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t base = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane_id(); base < view.slots;
       base += stride) {
    auto const slot = static_cast<std::uint32_t>(base + lane_id());
    bool const exists = base + lane_id() < view.slots;
    Word const before = exists ? view.seen[slot] : ~Word{0};
    Word const found = exists ? view.next[slot] & ~before : 0;
    if (exists) view.next[slot] = found;
    if (found != 0) {
      view.seen[slot] = before | found;
      frontier_entries += view.length(view.out, slot);
    }
    if ((view.searching & ~(before | found)) != 0) waiting_entries += view.length(view.in, slot);
    if (__ballot_sync(all_lanes, found != 0) == 0) continue;
    Vertex const vertex = exists ? view.vertex_of(slot) : 0;
    for (unsigned source = 0; source < sources_per_batch; ++source) {
      bool const mine = (found >> source & 1) != 0;
      unsigned const lanes = __ballot_sync(all_lanes, mine);
      if (lane_id() == source % warp_threads)
        found_by_mine[source / warp_threads] += static_cast<unsigned>(__popc(lanes));
      if (mine && view.levels != nullptr) view.levels[source * vertices + vertex] = view.level;
    }
  }
  for (unsigned half = 0; half < 2; ++half)
    if (found_by_mine[half] != 0) atomicAdd(&view.counts->found[half * warp_threads + lane_id()], found_by_mine[half]);
  frontier_entries = sum_over_warp(frontier_entries);
  waiting_entries = sum_over_warp(waiting_entries);
  if (lane_id() != 0) return;
  if (frontier_entries != 0) atomicAdd(&view.counts->frontier_entries, frontier_entries);
  if (waiting_entries != 0) atomicAdd(&view.counts->waiting_entries, waiting_entries);
}

// What was found, by Vertex; `bits` are zeros.
static __global__ void show_sources_thread_per_source(const BatchSource* sources, std::uint64_t count, Word* bits)
{
  device::for_each_item(count, [=](std::uint64_t i) {
    atomicOr(reinterpret_cast<Count*>(bits + sources[i].vertex), static_cast<Count>(bit_of(i)));
  });
}

static __global__ void show_found_thread_per_slot(BatchView view, Word* bits)
{
  device::for_each_item(view.slots, [=](std::uint64_t slot) {
    // A delegate has a second slot, which nothing leads to.
    if (Word const word = view.frontier[slot]; word != 0) bits[view.vertex_of(static_cast<std::uint32_t>(slot))] = word;
  });
}

}  // namespace brushfire::cuda
