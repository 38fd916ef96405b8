// What the search kernel works on, and what it counts.
//
// A slot numbers all vertices: delegates by rank, then every Vertex v at normal_base + v, which is the number of
// delegates rounded up to whole words of bits. Visited bits are by slot, parents and levels by Vertex. The invariant
// everything rests on: when a level starts, a waiting vertex has no visited neighbour outside the frontier, because a
// frontier is always expanded whole. So a pull may ask "was it visited when the level started?" and needs no frontier
// of its own.
#pragma once

#include "build/cuda/rows_view.cuh"
#include "device/parents.hpp"
#include "traverse/cuda/long_lists.hpp"
#include "traverse/cuda/search_index.hpp"
#include "traverse/split_policy.hpp"

#include <brushfire/trace.hpp>

#include <cstdint>

namespace brushfire::cuda {

inline constexpr unsigned warp_threads = 32;

// What a kernel is compiled for: more warps wait for memory at the same time, fewer have more registers each.
struct KernelShape {
  unsigned threads, blocks;  // of a block; of a multiprocessor

  constexpr unsigned warps() const { return threads / warp_threads; }
};
inline constexpr KernelShape part_shape{512, 2};
// A whole search: with 512 threads in two blocks registers spill, with 320 too few loads are under way. Lean levels,
// which are nothing but latency, take all registers there are.
template <bool lean>
inline constexpr KernelShape search_shape = lean ? KernelShape{512, 1} : KernelShape{384, 2};

inline constexpr unsigned all_lanes = 0xffffffffu;

using Count = unsigned long long;  // what atomicAdd takes

// Entries of delegates are counted in groups of so many, rounded up: 32-bit counters hold any graph that fits a GPU,
// and shared memory adds 32 bits in one step.
inline constexpr std::uint32_t entries_per_group = 16;

// What one level adds up.
struct LevelTally {
  Count checked;
  Count entries_of_normals[2];                    // to delegates, to normals, of what was discovered
  unsigned groups_of_delegates[2][normal_class];  // the same of delegates, by their class
  unsigned discovered_delegates;
  unsigned discovered_normals;
  unsigned queued, queued_longs;      // for the next level
  unsigned gathered, gathered_longs;  // for this level, from bits
  unsigned pieces;                    // of this level's long lists
  unsigned longest;                   // list of what was discovered, where lists are measured
  unsigned target_reached;
};

struct LevelPlan;
struct LeanBoard;  // see lean.cuh
struct LeanCursor;

// Where a search stands between two levels. Every block has its own copy and computes the same next one.
struct Cursor {
  std::int32_t level;  // of the frontier
  bool finished;
  bool pulling;       // the pull of this level is for other kernels
  bool pulled;        // they have made it
  bool pulled_apart;  // they have made one in this search
  bool has_queue;     // the frontier is in the queue; else only in the bits
  bool cleared;       // every normal vertex has a parent, or -1; else only those that were reached
  unsigned tally;     // which of the three tallies the level that just ended has filled
  unsigned queue_begin, queue_count;
  unsigned longs_begin, longs_count;  // of the frontier, those with long lists, in a queue of their own
  unsigned longest;                   // list of the frontier, where lists are measured
  unsigned frontier_delegates, frontier_normals;
  std::uint32_t waiting_delegates, waiting_normals;
  std::uint64_t reached;
  std::uint64_t frontier_entries;                // about
  std::uint64_t started;                         // nanoseconds
  std::uint64_t in_frontier[2][source_classes];  // entries to delegates, to normals
  std::uint64_t unexplored[2][source_classes];   // entries of sources not expanded yet
  unsigned logged;                               // records since the kernel started
};

struct LevelLog {
  std::int32_t level;
  unsigned pulled_below[2];  // ClassLimit for delegates, for normals
  std::uint64_t frontier, checked, discovered;
  std::uint64_t nanoseconds;
};

// What the host reads after a launch, in pinned memory; the log stands beside it.
struct LaunchSummary {
  std::uint64_t reached;
  std::int32_t level;
  unsigned logged;
  bool finished;
  bool pulling;  // what comes next is for the kernels of a first pull
  bool pulled_apart;
  bool trickles;  // what comes next is for that kernel
};

// A part of a list that is too long for one warp.
struct ListPiece {
  std::uint32_t slot;
  std::uint32_t index;
};

template <typename ParentType>
struct SearchView {
  using Parent = ParentType;

  // The graph, and what is made of it once.
  RowsView out;
  RowsView in;
  RowNumbersView numbers;       // of rows, as opposed to slots
  const std::uint32_t* firsts;  // slot of the first source in a row of `in`, or no_vertex: where most pulls end
  const NextSources* nexts;     // by row: slots of the four after it
  const std::uint32_t* never;   // bits of slots that nothing leads to: never waiting
  const Vertex* delegate_vertices;
  const Vertex *homes, *ranks_of_homes;  // the same, rising, and whose they are; null in a part
  device::LabelsOnDevice labels;
  Vertex delegates, vertices;
  std::uint32_t slots, words;
  std::uint32_t normal_base;
  std::uint32_t searchable_delegates, searchable_normals;
  std::uint64_t entries_in;                           // of all rows of `in`
  std::uint64_t entries_of_class[2][source_classes];  // entries to delegates, to normals, of all sources
  double entries_per_normal[2];                       // mean, to delegates and to normals
  bool measure_normals;                               // their lists may be long, or their lengths differ much

  // The search.
  Parent* parents;
  Parent* delegate_parents;  // by rank; they go to their vertices at the end
  std::int32_t* levels;      // null unless wanted
  std::uint32_t* visited;
  std::uint32_t* before;   // visited when the level started, for pulls; without `never`
  std::uint32_t* queue;    // every slot enters it at most once in a search
  std::uint32_t* longs;    // likewise
  ListPiece* pieces;       // of the long lists of a level
  LevelTally* tallies;     // three: being filled, filled by the level before, being cleared
  std::uint32_t* open;     // between the kernels of a first pull: who has asked its first neighbour in vain
  LevelPlan* plan;         // for these
  Cursor* cursor;          // between two kernels, and for blocks that waited
  LeanBoard* lean_boards;  // two
  LeanCursor* lean_cursor;
  LevelLog* log;

  SplitPolicy policy;
  int forced;                        // -1, or a Direction
  std::uint32_t narrow_entries;      // frontiers with fewer are searched by one block alone
  std::uint64_t most_surely_pushed;  // entries of frontiers that are not worth a pull
  unsigned multiprocessors;
  std::uint32_t least_apart;   // waiting vertices that are worth kernels of their own, see first_pull.cuh
  bool lean;                   // there may be lean levels, see lean.cuh
  std::int32_t trickles_from;  // level; see trickle.cuh
  std::uint32_t root, target;  // slots; target is no_vertex without one
  std::int32_t max_depth;

  __device__ Vertex vertex_of(std::uint32_t slot) const
  {
    return slot < delegates ? delegate_vertices[slot] : slot - normal_base;
  }
  __device__ std::uint32_t row_of(std::uint32_t slot) const
  {
    return slot < delegates ? slot : numbers.row_of(slot - normal_base);
  }
  __device__ Parent label_of(Vertex v) const
  {
    return static_cast<Parent>(labels.table == nullptr ? labels.first + v : labels.table[v]);
  }
  __device__ unsigned class_of(std::uint32_t slot) const
  {
    return slot < delegates ? class_of_rank(slot) : normal_class;
  }
  // Into the array that a slot's parents are in, by slot.
  static __device__ void put(Parent* its_parents, std::uint32_t slot, Parent label) { its_parents[slot] = label; }
  // The level is that of what is being discovered.
  __device__ void settle(std::uint32_t slot, Vertex parent, std::int32_t level) const
  {
    (slot < delegates ? delegate_parents[slot] : parents[slot - normal_base]) = label_of(parent);
    if (levels != nullptr) levels[vertex_of(slot)] = level;
  }
};

// What kernels of a device alone and of a part look up.
template <typename Parent>
void show_graph(SearchView<Parent>& view, const DeviceLayout& layout, const SearchIndex& index)
{
  view.out = rows_view(layout.out, layout.delegates);
  view.in = rows_view(layout.pulled(), layout.delegates);
  view.numbers = row_numbers(layout);
  view.firsts = index.firsts.data();
  view.nexts = index.nexts.data();
  view.never = index.never.data();
  view.delegate_vertices = layout.delegate_vertices.data();
  view.delegates = layout.delegates;
  view.vertices = layout.vertices;
  view.slots = index.normal_base + layout.vertices;
  view.words = static_cast<std::uint32_t>(index.never.size());
  view.normal_base = index.normal_base;
  view.entries_in = layout.pulled().targets.size();
}

__device__ inline unsigned lane_id() { return threadIdx.x % warp_threads; }
__device__ inline unsigned warp_id() { return threadIdx.x / warp_threads; }
__device__ inline unsigned warps_of_block() { return blockDim.x / warp_threads; }
__device__ inline unsigned lanes_below() { return (1u << lane_id()) - 1; }

__device__ inline std::uint64_t nanoseconds_now()
{
  std::uint64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace brushfire::cuda
