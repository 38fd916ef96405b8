// What the kernels of the adaptive preset share, and its top-down expansion.
//
// A queue keeps beside each vertex where its entries start among those of all vertices before it. So a push cuts a
// level into tiles of equal numbers of entries, and neither a star nor a hub keeps one block busy. Every way to make
// a queue takes places in it by adding one number, vertices and entries together: a place is also an offset.
#pragma once

#include "build/cuda/rows_view.cuh"
#include "device/launch.cuh"
#include "device/parents.hpp"

#include <brushfire/types.hpp>

#include <cub/block/block_scan.cuh>

#include <cstdint>

namespace brushfire::adaptive {

// How many vertices, and how many entries their lists have. Sums and differences need no unpacking, and the
// difference of two running sums is right even where the sums themselves have wrapped.
using Amount = unsigned long long;
inline constexpr int entry_bits = 35;
inline constexpr std::uint64_t most_entries = (std::uint64_t{1} << entry_bits) - 1;
inline constexpr std::uint64_t most_vertices = (std::uint64_t{1} << (64 - entry_bits)) - 1;

__host__ __device__ constexpr Amount amount(std::uint64_t vertices, std::uint64_t entries)
{
  return vertices << entry_bits | entries;
}
__host__ __device__ constexpr std::uint64_t vertices_in(Amount amount) { return amount >> entry_bits; }
__host__ __device__ constexpr EdgeIndex entries_in(Amount amount) { return amount & most_entries; }

// Running sums over a whole search: nobody resets them between levels, the host takes differences.
struct Counters {
  Amount found;                // vertices that this level was to find
  Amount early;                // vertices of one level further, found ahead
  Amount deferred;             // lists too long for whoever met them
  unsigned long long cursor;   // next piece of the waiting vertices
  unsigned long long checked;  // entries looked at by pulls
  Amount waiting;              // the one that is no sum: size of the queue of waiting vertices
};

struct QueueView {
  Vertex* vertices;
  EdgeIndex* offsets;  // null where nobody expands the vertices by entries

  __device__ void put(Amount place, Vertex v) const
  {
    vertices[vertices_in(place)] = v;
    if (offsets != nullptr) offsets[vertices_in(place)] = entries_in(place);
  }
};

// A queue to be read, or all vertices.
struct ItemsView {
  const Vertex* vertices;  // null: all
  std::uint64_t count;
  __device__ Vertex operator[](std::uint64_t i) const
  {
    return vertices == nullptr ? static_cast<Vertex>(i) : vertices[i];
  }
};

// One byte per vertex stands in for its level wherever somebody only looks: a quarter of the status array, so that it
// stays in L2 at scale 24. It wraps around after 128 levels, which no pull can notice: a vertex that is still
// waiting has no neighbour of an earlier level than the frontier's.
using Mark = std::uint8_t;
inline constexpr Mark unvisited_mark = 0xff;
inline constexpr Mark never_a_mark = 0xfe;
__host__ __device__ constexpr Mark mark_of(std::int32_t level) { return static_cast<Mark>(level & 0x7f); }

template <typename Parent>
struct SearchView {
  RowsView out;
  RowsView in;
  device::LabelsOnDevice labels;
  std::int32_t* status;  // the level of each vertex, or -1
  Mark* marks;
  Parent* parents;
  Counters* counters;
  Counters before;     // as they stood when this level began
  std::int32_t level;  // of the frontier

  // An old answer does no harm: marks change once, and whoever must know asks the status.
  __device__ bool visited(Vertex v) const { return marks[v] != unvisited_mark; }
  __device__ bool claim(Vertex v) const { return atomicCAS(&status[v], unreached, level + 1) == unreached; }
  __device__ void settle(Vertex v, std::int32_t at, Vertex parent) const
  {
    status[v] = at;
    marks[v] = mark_of(at);
    parents[v] = static_cast<Parent>(labels.table != nullptr ? labels.table[parent] : labels.first + parent);
  }
};

template <typename Parent>
__global__ void plant_root_one_thread(SearchView<Parent> search, Vertex root, QueueView frontier)
{
  search.settle(root, 0, root);
  frontier.put(amount(0, 0), root);
}

inline constexpr unsigned entries_per_thread = 4;
inline constexpr unsigned tile_entries = device::block_threads * entries_per_thread;
inline constexpr std::uint32_t longest_in_walk = 2048;  // a longer list is deferred, so that its block is not late

using AmountScan = cub::BlockScan<Amount, device::block_threads>;

// The frontier vertices whose entries a block is about to look at.
struct Window {
  std::uint32_t starts[tile_entries];  // rising: first entry of each vertex, counted from the window's first entry
  EdgeIndex rows[tile_entries];        // plus an entry so counted: its position among all targets
  Vertex vertices[tile_entries];

  // The last vertex that starts at or before `entry`; empty lists start where the next one does and are never it.
  __device__ unsigned owner_of(std::uint32_t entry, unsigned count) const
  {
    unsigned low = 0;
    for (unsigned high = count; high - low > 1;) {
      unsigned const middle = (low + high) / 2;
      (starts[middle] <= entry ? low : high) = middle;
    }
    return low;
  }
};

struct PushShared {
  Window window;
  AmountScan::TempStorage scan;
  Amount place;
};

// Each thread's first place in a queue whose end is *tail, one atomic for the block. Every thread calls it.
// The barrier also parts this use of `scan` from the next; `place` is read before the next scan's own barrier.
__device__ inline Amount take_places(Amount mine, Amount* tail, AmountScan::TempStorage& scan, Amount& place)
{
  Amount before = 0, all = 0;
  AmountScan(scan).ExclusiveSum(mine, before, all);
  if (threadIdx.x == 0 && all != 0) place = atomicAdd(tail, all);
  __syncthreads();
  return place + before;
}

// All entries of the window, a block's width apart. Scan-free (paper 4.1): the thread that wins the status appends
// the vertex. Else several may mark the same vertex; each writes the same level and a parent that is right.
template <bool append, typename Parent>
__device__ void expand_window(const SearchView<Parent>& search, PushShared& shared, unsigned count,
                              std::uint32_t entries, QueueView next)
{
  for (std::uint32_t tile = 0; tile < entries; tile += tile_entries) {
    Vertex targets[entries_per_thread], sources[entries_per_thread];
#pragma unroll
    for (unsigned k = 0; k < entries_per_thread; ++k) {
      std::uint32_t const entry = tile + k * device::block_threads + threadIdx.x;
      targets[k] = no_vertex;
      if (entry >= entries) continue;
      unsigned const owner = shared.window.owner_of(entry, count);
      sources[k] = shared.window.vertices[owner];
      targets[k] = search.out.targets[shared.window.rows[owner] + entry];
    }
#pragma unroll
    for (unsigned k = 0; k < entries_per_thread; ++k)
      if (targets[k] != no_vertex && search.visited(targets[k])) targets[k] = no_vertex;
    std::uint32_t lengths[entries_per_thread];
    Amount gained = 0;
#pragma unroll
    for (unsigned k = 0; k < entries_per_thread; ++k) {
      if (append && targets[k] != no_vertex && !search.claim(targets[k])) targets[k] = no_vertex;
      if (targets[k] == no_vertex) continue;
      search.settle(targets[k], search.level + 1, sources[k]);
      if (append) gained += amount(1, lengths[k] = search.out.length(targets[k]));
    }
    if (!append) continue;
    Amount place = take_places(gained, &search.counters->found, shared.scan, shared.place) - search.before.found;
#pragma unroll
    for (unsigned k = 0; k < entries_per_thread; ++k) {
      if (targets[k] == no_vertex) continue;
      next.put(place, targets[k]);
      place += amount(1, lengths[k]);
    }
  }
}

// The vertex of the queue that owns `entry`: the block narrows the range 256-fold per look.
__device__ inline std::uint64_t find_owner(const EdgeIndex* offsets, std::uint64_t count, EdgeIndex entry)
{
  std::uint64_t low = 0;
  for (std::uint64_t high = count; high - low > 1;) {
    std::uint64_t const step = (high - low + device::block_threads - 1) / device::block_threads;
    std::uint64_t const probe = low + threadIdx.x * step;
    int const below = __syncthreads_count(probe < high && offsets[probe] <= entry);
    low += (below - 1) * step;
    high = min(high, low + step);
  }
  return low;
}

// Loads the queue's vertices that own entries from `first` to at most `last`; returns where the window ends.
// Only runs of empty lists can fill it before `last`; the search for the next window leaps over those.
__device__ inline EdgeIndex load_window(Window& window, unsigned& count, const RowsView& rows, QueueView queue,
                                        std::uint64_t queued, EdgeIndex first, EdgeIndex last)
{
  std::uint64_t const owner = find_owner(queue.offsets, queued, first);
  count = 0;
  for (unsigned slot = threadIdx.x; count == slot - threadIdx.x && slot < tile_entries; slot += device::block_threads) {
    bool inside = owner + slot < queued;
    EdgeIndex const offset = inside ? queue.offsets[owner + slot] : 0;
    inside = inside && offset < last;
    if (inside) {
      Vertex const v = queue.vertices[owner + slot];
      window.vertices[slot] = v;
      window.starts[slot] = offset > first ? static_cast<std::uint32_t>(offset - first) : 0;
      window.rows[slot] = rows.first(v) + first - offset;
    }
    count += __syncthreads_count(inside);
  }
  bool const cut = count == tile_entries && owner + count < queued;
  return cut ? min(last, queue.offsets[owner + count]) : last;
}

template <bool append, typename Parent>
__device__ void push_tiles(const SearchView<Parent>& search, QueueView frontier, Amount size, QueueView next)
{
  __shared__ PushShared shared;
  EdgeIndex const entries = entries_in(size);
  for (EdgeIndex tile = EdgeIndex{blockIdx.x} * tile_entries; tile < entries;
       tile += EdgeIndex{gridDim.x} * tile_entries) {
    EdgeIndex const tile_end = min(entries, tile + tile_entries);
    for (EdgeIndex first = tile; first < tile_end;) {
      unsigned count = 0;
      EdgeIndex const last =
          load_window(shared.window, count, search.out, frontier, vertices_in(size), first, tile_end);
      expand_window<append>(search, shared, count, static_cast<std::uint32_t>(last - first), next);
      first = last;
      __syncthreads();  // before the window is loaded again
    }
  }
}

template <bool append, typename Parent>
__global__ __launch_bounds__(device::block_threads) void push_block_per_tile(SearchView<Parent> search,
                                                                             QueueView frontier, Amount size,
                                                                             QueueView next)
{
  push_tiles<append>(search, frontier, size, next);
}

// The long lists that a walk left; how many there are, only the device knows.
template <bool append, typename Parent>
__global__ __launch_bounds__(device::block_threads) void push_deferred_block_per_tile(SearchView<Parent> search,
                                                                                      QueueView deferred,
                                                                                      QueueView next)
{
  push_tiles<append>(search, deferred, search.counters->deferred - search.before.deferred, next);
}

// No queue at all (paper 4.1, Observation 2): the vertices that a pull has just found stand among those it asked, in
// order. Each block walks 256 of them at a time and expands the ones of this level.
template <bool append, typename Parent>
__global__ __launch_bounds__(device::block_threads) void push_block_per_walk(SearchView<Parent> search, ItemsView asked,
                                                                             QueueView deferred, QueueView next)
{
  __shared__ PushShared shared;
  for (std::uint64_t tile = std::uint64_t{blockIdx.x} * blockDim.x; tile < asked.count;
       tile += std::uint64_t{gridDim.x} * blockDim.x) {
    std::uint64_t const i = tile + threadIdx.x;
    Vertex const v = i < asked.count ? asked[i] : no_vertex;
    bool const expands = v != no_vertex && search.status[v] == search.level;
    std::uint32_t length = expands ? search.out.length(v) : 0;
    if (length > longest_in_walk) {
      deferred.put(atomicAdd(&search.counters->deferred, amount(1, length)) - search.before.deferred, v);
      length = 0;
    }
    Amount place = 0, all = 0;
    AmountScan(shared.scan).ExclusiveSum(amount(length > 0 ? 1 : 0, length), place, all);
    if (length > 0) {
      shared.window.vertices[vertices_in(place)] = v;
      shared.window.starts[vertices_in(place)] = static_cast<std::uint32_t>(entries_in(place));
      shared.window.rows[vertices_in(place)] = search.out.first(v) - entries_in(place);
    }
    __syncthreads();
    expand_window<append>(search, shared, static_cast<unsigned>(vertices_in(all)),
                          static_cast<std::uint32_t>(entries_in(all)), next);
    __syncthreads();  // before the window is filled again
  }
}

}  // namespace brushfire::adaptive
