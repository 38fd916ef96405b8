// What the searches in blocks do on a GPU: claim, scatter, pull and take in what others sent.
#pragma once

#include "build/cuda/device_block.hpp"
#include "build/cuda/rows_view.cuh"
#include "device/launch.cuh"
#include "traverse/cuda/discoveries.cuh"
#include "traverse/set_form.hpp"

#include <cstdint>

namespace brushfire::cuda {

// What a device counts in a level.
struct BlockTally {
  Count checked;
  Count own_entries;  // in the lists of the own vertices that were found
  unsigned found;     // vertices in the queue that the level fills
  unsigned gathered;  // and in the one that it is filled from, where that has to be gathered
  unsigned own_found;
  unsigned waited;  // of what was found, vertices that a pull looks for
  unsigned target_reached;
};

__device__ inline bool has_bit(const std::uint32_t* bits, Vertex v) { return (bits[v / 32] >> (v % 32) & 1) != 0; }

// True for the one who flips the bit. Having looked first spares most atomics.
__device__ inline bool take_bit(std::uint32_t* bits, Vertex v)
{
  std::uint32_t const bit = 1u << (v % 32);
  return (__ldcg(bits + v / 32) & bit) == 0 && (atomicOr(bits + v / 32, bit) & bit) == 0;
}

// Counts each of the lanes that happen to ask together, and returns how many came before it.
__device__ inline unsigned count_one(unsigned* count)
{
  unsigned const together = __activemask();
  int const first_lane = __ffs(static_cast<int>(together)) - 1;
  unsigned before = 0;
  if (static_cast<int>(lane_id()) == first_lane) before = atomicAdd(count, static_cast<unsigned>(__popc(together)));
  return __shfl_sync(together, before, first_lane) + __popc(together & lanes_below());
}

// A queue that a level fills.
struct FilledQueue {
  Vertex* vertices;
  unsigned* count;

  __device__ void add(Vertex v) const { vertices[count_one(count)] = v; }
};

// The vertices of some devices side by side, as Extent has them.
struct ExtentView {
  const int* devices;
  const Vertex* firsts;
  unsigned count;

  __device__ FarVertex vertex_at(Vertex slot) const
  {
    unsigned low = 0;  // the last device that begins at or before it
    for (unsigned high = count; high - low > 1;) {
      unsigned const middle = (low + high) / 2;
      (firsts[middle] <= slot ? low : high) = middle;
    }
    return far_vertex(devices[low], slot - firsts[low]);
  }
};
inline ExtentView extent_view(const DeviceExtent& extent)
{
  return {extent.devices.data(), extent.firsts.data(), static_cast<unsigned>(extent.devices.size())};
}

// Where own vertices go that a level has found.
struct OwnFound {
  FilledQueue queue;
  std::int32_t* levels;  // null where nobody asks
  std::int32_t level;
  Vertex target;  // no_vertex where none is looked for here
  BlockTally* tally;

  __device__ void add(Vertex number) const
  {
    queue.add(number);
    if (levels != nullptr) levels[number] = level;
    if (number == target) tally->target_reached = 1;
  }
};

// A set as another device, or this one, has sent it.
struct SentSet {
  const Word* words;
  std::uint64_t bytes;

  // Vertices of a list, or 32 bits each.
  __host__ __device__ std::uint64_t items() const { return (bytes - sizeof(Word)) / sizeof(Vertex); }

  template <typename Body>
  __device__ void for_each(Body&& body) const
  {
    auto const* const content = reinterpret_cast<const std::uint32_t*>(words + 1);
    bool const as_bits = *words == bits_follow;
    device::for_each_item(items(), [&](std::uint64_t i) {
      if (!as_bits) {
        body(static_cast<Vertex>(content[i]));
        return;
      }
      for (std::uint32_t bits = content[i]; bits != 0; bits &= bits - 1)
        body(static_cast<Vertex>(i * 32 + __ffs(static_cast<int>(bits)) - 1));
    });
  }
};

// Found by a push: whoever flips the bit writes the parent and queues the vertex.
struct ClaimedTargets {
  std::uint32_t* visited;
  Vertex* parents;
  FilledQueue queue;

  __device__ void meet(Vertex target, Vertex source) const
  {
    if (!take_bit(visited, target)) return;
    parents[target] = source;
    queue.add(target);
  }
};

// The vector-type scatter of Mitsuishi et al.: whoever writes last is the parent.
struct ScatteredTargets {
  Vertex* vector;
  std::uint32_t* touched;  // bits of runs of 32 vertices

  __device__ void meet(Vertex target, Vertex source) const
  {
    vector[target] = source;
    take_bit(touched, target / 32);
  }
};

static __global__ void set_bits_thread_per_vertex(const Vertex* vertices, std::uint64_t count, std::uint32_t* bits)
{
  device::for_each_item(count, [=](std::uint64_t i) { atomicOr(bits + vertices[i] / 32, 1u << (vertices[i] % 32)); });
}

// And whatever is in the same words: all of it is to go.
static __global__ void clear_words_thread_per_vertex(const Vertex* vertices, std::uint64_t count, std::uint32_t* bits)
{
  device::for_each_item(count, [=](std::uint64_t i) { bits[vertices[i] / 32] = 0; });
}

// The rows that a pull looks through.
struct PulledRows {
  RowsView rows;
  const std::uint32_t* frontier;  // bits by the targets of the rows

  // The first neighbour of each lane's row that is in the frontier, or no_vertex; lanes without a row bring no_vertex.
  // A lane looks a little by itself, then all lanes look through what is left. All lanes together.
  __device__ Vertex find_parent(Vertex row, Count& checked) const
  {
    constexpr EdgeIndex looked_at_alone = 8;
    Vertex parent = no_vertex;
    EdgeIndex next = 0, last = 0;
    if (row != no_vertex) {
      next = rows.first(row);
      last = rows.last(row);
      for (EdgeIndex const alone = min(last, next + looked_at_alone); next < alone && parent == no_vertex; ++next) {
        Vertex const source = rows.targets[next];
        if (has_bit(frontier, source)) parent = source;
        ++checked;
      }
    }
    for (unsigned left = __ballot_sync(all_lanes, parent == no_vertex && next < last); left != 0; left &= left - 1) {
      int const owner = __ffs(static_cast<int>(left)) - 1;
      EdgeIndex const end = __shfl_sync(all_lanes, last, owner);
      for (EdgeIndex at = __shfl_sync(all_lanes, next, owner); at < end; at += warp_threads) {
        Vertex const source = at + lane_id() < end ? rows.targets[at + lane_id()] : no_vertex;
        if (source != no_vertex) ++checked;
        unsigned const hits = __ballot_sync(all_lanes, source != no_vertex && has_bit(frontier, source));
        if (hits == 0) continue;
        Vertex const first = __shfl_sync(all_lanes, source, __ffs(static_cast<int>(hits)) - 1);
        if (static_cast<int>(lane_id()) == owner) parent = first;
        break;
      }
    }
    return parent;
  }
};

// Targets that a pull visits, 32 to a word.
struct PullingTargets {
  PulledRows pulled;
  std::uint32_t* visited;
  const std::uint32_t* searchable;  // bits of those that have a row
  std::uint64_t words;
  Vertex* parents;
  FilledQueue queue;
  Vertex first;  // slot of target 0 in the queue
  BlockTally* tally;
};

static __global__ void pull_warp_per_word(PullingTargets targets)
{
  std::uint64_t const warps = std::uint64_t{gridDim.x} * warps_of_block();
  Count checked = 0;
  for (std::uint64_t word = std::uint64_t{blockIdx.x} * warps_of_block() + warp_id(); word < targets.words;
       word += warps) {
    std::uint32_t const waiting = targets.searchable[word] & ~targets.visited[word];
    if (waiting == 0) continue;
    auto const v = static_cast<Vertex>(word * 32 + lane_id());
    Vertex const parent = targets.pulled.find_parent((waiting >> lane_id() & 1) != 0 ? v : no_vertex, checked);
    unsigned const found = __ballot_sync(all_lanes, parent != no_vertex);
    if (found == 0) continue;
    unsigned place = 0;
    if (lane_id() == 0) {
      targets.visited[word] |= found;  // nobody else has this word
      place = atomicAdd(targets.queue.count, static_cast<unsigned>(__popc(found)));
    }
    place = __shfl_sync(all_lanes, place, 0) + __popc(found & lanes_below());
    if (parent == no_vertex) continue;
    targets.parents[v] = parent;
    targets.queue.vertices[place] = targets.first + v;
  }
  checked = sum_over_warp(checked);
  if (lane_id() == 0 && checked != 0) atomicAdd(&targets.tally->checked, checked);
}

// Bits of the rows that have an entry, and how many those are.
static __global__ void mark_searchable_warp_per_word(RowsView rows, std::uint64_t count, std::uint32_t* searchable,
                                                     Count* marked)
{
  Count mine = 0;
  std::uint64_t const warps = std::uint64_t{gridDim.x} * warps_of_block();
  for (std::uint64_t word = std::uint64_t{blockIdx.x} * warps_of_block() + warp_id(); word * 32 < count;
       word += warps) {
    std::uint64_t const row = word * 32 + lane_id();
    unsigned const bits = __ballot_sync(all_lanes, row < count && rows.length(static_cast<std::uint32_t>(row)) != 0);
    if (lane_id() != 0) continue;
    searchable[word] = bits;
    mine += static_cast<unsigned>(__popc(bits));
  }
  if (mine != 0) atomicAdd(marked, mine);
}

// Where own vertices were found from, by the slots of `sources`.
static __global__ void tell_parent_thread_per_vertex(const Vertex* parents, std::uint64_t count, ExtentView sources,
                                                     FarVertex* found_from)
{
  device::for_each_item(count, [=](std::uint64_t v) {
    if (parents[v] != no_vertex) found_from[v] = sources.vertex_at(parents[v]);
  });
}

template <typename T>
__global__ void put_one_thread(T* place, T value)
{
  *place = value;
}

}  // namespace brushfire::cuda
