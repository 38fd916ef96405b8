// MS-BFS on a GPU, level by level. Words of sources are by row: delegates by rank, then the others. A level pushes or
// pulls for all sources; either leaves in `next` what it met, and a pass over all rows settles what of it is new. Rows
// of delegates are long and get a block or a warp each; of the others a lane walks the first entries of its own, and
// its warp the rest together.
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
  std::uint64_t rows;
  const Vertex* row_vertices;       // the Vertex of each row; null where every Vertex has one
  const Vertex* delegate_vertices;  // likewise of each delegate
  Word* seen;                       // all bits where nothing leads to
  Word* frontier;
  Word* next;
  std::int32_t* levels;  // null unless wanted: a row of all vertices for each source
  BatchCounts* counts;
  Word searching;      // sources that found something in the level before
  std::int32_t level;  // of what is being found

  __device__ Vertex vertex_of(std::uint32_t row) const
  {
    if (row_vertices != nullptr) return row_vertices[row];
    return row < delegates ? delegate_vertices[row] : row - delegates;
  }
  // Of a Vertex that is no delegate; `rows` where it has none. Rows stand in the order of their vertices.
  __device__ std::uint64_t row_of_normal(Vertex vertex) const
  {
    if (row_vertices == nullptr) return std::uint64_t{delegates} + vertex;
    std::uint64_t low = delegates, high = rows;
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      if (row_vertices[middle] < vertex)
        low = middle + 1;
      else
        high = middle;
    }
    return low < rows && row_vertices[low] == vertex ? low : rows;
  }
  __device__ std::uint32_t target_row(const RowsView& lists, EdgeIndex entry, EdgeIndex split) const
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

static __global__ void forget_thread_per_row(BatchView view)
{
  device::for_each_item(view.rows, [=](std::uint64_t i) {
    view.seen[i] = view.in.length(static_cast<std::uint32_t>(i)) == 0 ? ~Word{0} : 0;
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
    std::uint64_t const row = rank != no_vertex ? rank : view.row_of_normal(vertex);
    if (row == view.rows) return;  // isolated
    auto const bit = static_cast<Count>(bit_of(i));
    atomicOr(reinterpret_cast<Count*>(view.frontier + row), bit);
    atomicOr(reinterpret_cast<Count*>(view.seen + row), bit);
    atomicAdd(&view.counts->frontier_entries, Count{view.out.length(static_cast<std::uint32_t>(row))});
  });
}

static __global__ void push_block_per_delegate(BatchView view)
{
  for (std::uint32_t row = blockIdx.x; row < view.delegates; row += gridDim.x) {
    Word const word = view.frontier[row];
    if (word == 0) continue;
    EdgeIndex const split = view.out.split(row), last = view.out.last(row);
    for (EdgeIndex e = view.out.first(row) + threadIdx.x; e < last; e += blockDim.x)
      view.meet(view.target_row(view.out, e, split), word);
    if (threadIdx.x == 0) atomicAdd(&view.counts->checked, Count{view.out.length(row)});
  }
}

static __global__ void push_lane_per_row(BatchView view)
{
  Count checked = 0;
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t base = view.delegates + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane_id();
       base < view.rows; base += stride) {
    auto const row = static_cast<std::uint32_t>(base + lane_id());
    Word const word = base + lane_id() < view.rows ? view.frontier[row] : 0;
    EdgeIndex next = 0, split = 0, last = 0;
    if (word != 0) {
      next = view.out.first(row);
      split = view.out.split(row);
      last = view.out.last(row);
      checked += last - next;
      for (EdgeIndex const alone = min(last, next + walked_alone); next < alone; ++next)
        view.meet(view.target_row(view.out, next, split), word);
    }
    for (unsigned left = __ballot_sync(all_lanes, next < last); left != 0; left &= left - 1) {
      int const owner = __ffs(static_cast<int>(left)) - 1;
      Word const its_word = __shfl_sync(all_lanes, word, owner);
      EdgeIndex const its_split = __shfl_sync(all_lanes, split, owner), end = __shfl_sync(all_lanes, last, owner);
      for (EdgeIndex e = __shfl_sync(all_lanes, next, owner) + lane_id(); e < end; e += warp_threads)
        view.meet(view.target_row(view.out, e, its_split), its_word);
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
      word = view.frontier[view.target_row(view.in, e, split)];
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

static __global__ void pull_lane_per_row(BatchView view)
{
  Count checked = 0;
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t base = view.delegates + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane_id();
       base < view.rows; base += stride) {
    auto const row = static_cast<std::uint32_t>(base + lane_id());
    bool const exists = base + lane_id() < view.rows;
    Word const missing = exists ? view.searching & ~view.seen[row] : 0;
    Word found = 0;
    EdgeIndex next = 0, split = 0, last = 0;
    if (missing != 0) {
      next = view.in.first(row);
      split = view.in.split(row);
      last = view.in.last(row);
      EdgeIndex const alone = min(last, next + walked_alone);
      for (; next < alone && (missing & ~found) != 0; ++next, ++checked)
        found |= view.frontier[view.target_row(view.in, next, split)];
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
    if (exists) view.next[row] = found & missing;
  }
  checked = sum_over_warp(checked);
  if (lane_id() == 0 && checked != 0) atomicAdd(&view.counts->checked, checked);
}

// What of `next` is new is found: seen from now on, counted, and written as levels. A warp has 32 rows, and each of its
// lanes counts for two of the sources.
static __global__ void settle_lane_per_row(BatchView view, std::uint64_t vertices)
{
  Count found_by_mine[2] = {0, 0}, frontier_entries = 0, waiting_entries = 0;
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t base = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane_id(); base < view.rows;
       base += stride) {
    auto const row = static_cast<std::uint32_t>(base + lane_id());
    bool const exists = base + lane_id() < view.rows;
    Word const before = exists ? view.seen[row] : ~Word{0};
    Word const found = exists ? view.next[row] & ~before : 0;
    if (exists) view.next[row] = found;
    if (found != 0) {
      view.seen[row] = before | found;
      frontier_entries += view.out.length(row);
    }
    if ((view.searching & ~(before | found)) != 0) waiting_entries += view.in.length(row);
    if (__ballot_sync(all_lanes, found != 0) == 0) continue;
    Vertex const vertex = exists ? view.vertex_of(row) : 0;
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

static __global__ void show_found_thread_per_row(BatchView view, Word* bits)
{
  device::for_each_item(view.rows, [=](std::uint64_t row) {
    // A delegate may have a second row, which nothing leads to.
    if (Word const word = view.frontier[row]; word != 0) bits[view.vertex_of(static_cast<std::uint32_t>(row))] = word;
  });
}

}  // namespace brushfire::cuda
