// Lean levels: the frontiers of long-diameter graphs, thousands to millions of levels with few vertices and short lists
// each. Nothing but latency counts there, so every block keeps its part of the frontier in shared memory, with where
// the lists are, and expands what it found itself, without a queue. A thread walks a list, few numbers are kept, and
// the cursor is brought up to date only at the end. As long as one block can take the frontier, block 0 searches alone,
// and its levels end at a barrier of the block; larger ones end at a gate that adds up what all have found, over one
// block per multiprocessor. When the parts become uneven, or the levels cease to be lean, all goes back to the queue.
// Only for graphs without delegates: with hubs there are no long diameters, but where a tail hangs off.
#pragma once

#include "traverse/cuda/discoveries.cuh"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace brushfire::cuda {

inline constexpr std::uint32_t lean_list = 8;              // entries
inline constexpr std::uint32_t most_vertices_alone = 256;  // for one block: more keep its load unit busy for too long
inline constexpr unsigned lean_in_flight = 4;              // entries that a thread waits for at the same time
inline constexpr std::uint32_t most_lean_in_block = 1024;

// Why the lean levels end, or the frontier is dealt anew.
enum LeanFlag : unsigned { target_found = 1, long_list_found = 2, uneven = 4 };

struct LeanVertex {
  EdgeIndex first;  // entry of its list
  std::uint32_t slot, length;
};

// A vertex whose first targets have been fetched, no_vertex behind the end of its list.
struct BegunVertex {
  LeanVertex vertex;
  std::uint32_t targets[lean_in_flight];
};

// What was found in a level.
struct LeanCount {
  unsigned vertices, entries, flags;
};

// A block's part of the frontier and of the next one, which take turns, and what it counts of them.
struct LeanPart {
  LeanVertex vertices[2][most_lean_in_block];
};
struct LeanNotes {
  LeanCount found[3];    // by the block: in this level, in the last, and cleared for the next
  LeanCount all;         // found by all blocks
  Count sums_before[3];  // of the board, when their last levels ended
};

// Where the search stands, the same in every block.
struct LeanCursor {
  std::int32_t level;
  unsigned begin, count;  // in the queue, when the frontier is dealt
  unsigned longs_begin, longs;
  Count entries;  // of the frontier
  unsigned logged;
  std::uint64_t expanded_entries, discovered;  // since the lean levels began
  std::uint64_t started;
  unsigned longest;  // list of the frontier, if longer than lean ones are
  bool finished;
  bool goes_on;  // with lean levels
};

// What all blocks write to, in global memory. Two of them take turns.
struct LeanBoard {
  Count sums[3];  // of levels in turn: who has arrived, whose flags are up, vertices found and their entries
  unsigned flags, longest;
  unsigned queued, longs;  // what went back to the queues
  Count entries;           // of it
};

// The fields of a sum.
inline constexpr unsigned arrived_bits = 10, flagged_bits = 10, found_bits = 22;

// Of a frontier; when it is dealt no block has more than a quarter of what it can hold.
template <typename Parent>
__device__ std::uint32_t most_lean_vertices(const SearchView<Parent>& view)
{
  return min(std::uint32_t{1} << 15, view.multiprocessors * (most_lean_in_block / 4));
}

template <typename Parent>
__device__ bool is_lean(const SearchView<Parent>& view, const Cursor& cursor)
{
  return view.lean && cursor.has_queue && cursor.longs_count == 0 && cursor.longest <= lean_list &&
         cursor.queue_count <= most_lean_vertices(view) && cursor.frontier_entries <= view.most_surely_pushed;
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

// The lean levels of one block. Every thread of it calls every function.
template <typename Parent>
class LeanLevels {
 public:
  __device__ LeanLevels(const SearchView<Parent>& view, LeanCursor& lean, LeanPart& part, LeanNotes& notes,
                        LeanBoard& board, unsigned blocks)
      : view_(view), lean_(lean), part_(part), notes_(notes), board_(board), blocks_(blocks)
  {
  }

  // From the queue until all goes back to it. Every thread keeps account by itself: nobody waits for a cursor. The
  // first targets of a level are on their way while the blocks meet.
  __device__ void run(unsigned most_levels)
  {
    deal();
    BegunVertex next = begin(threadIdx.x);
    std::int32_t level = lean_.level;
    unsigned frontier = lean_.count, logged = lean_.logged;
    Count entries = lean_.entries;
    bool finished = false;
    for (bool goes_on = true; goes_on; phase_ = next_phase()) {
      for (unsigned i = threadIdx.x; i - lane_id() < count_; i += blockDim.x)
        expand(i == threadIdx.x ? next : begin(i), level + 1);
      if (threadIdx.x == 0) notes_.found[next_phase()] = {};
      __syncthreads();
      turn_ = 1 - turn_;
      LeanCount found = take_found();
      next = begin(threadIdx.x);
      if (!alone()) found = meet(found, frontier);
      if (blockIdx.x == 0 && threadIdx.x == blockDim.x - 1)
        log_level(logged, {level, {0, 0}, frontier, entries, found.vertices, 0});
      ++logged;
      if (found.vertices != 0) ++level;
      frontier = found.vertices;
      entries = found.entries;
      finished = found.vertices == 0 || (found.flags & target_found) != 0 || level == view_.max_depth;
      goes_on = !finished && found.flags == 0 && logged < most_levels && entries <= view_.most_surely_pushed &&
                frontier <= (alone() ? most_vertices_alone : most_lean_vertices(view_));
    }
    give_back();
    if (threadIdx.x != 0) return;
    lean_.level = level;
    lean_.logged = logged;
    lean_.finished = finished;
  }

 private:
  __device__ bool alone() const { return blocks_ == 1; }

  // This block's share of the queue. Neighbours go to different blocks: a warp's scattered loads keep a load unit busy
  // for a while.
  __device__ void deal()
  {
    count_ = (lean_.count - min(lean_.count, blockIdx.x) + blocks_ - 1) / blocks_;
    for (unsigned i = threadIdx.x; i < count_; i += blockDim.x) {
      std::uint32_t const slot = view_.queue[lean_.begin + blockIdx.x + i * blocks_];
      part_.vertices[0][i] = {view_.out.first(slot), slot, view_.out.length(slot)};
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      lean_.begin += lean_.count;
      notes_.found[0] = {};
      for (Count& sum : notes_.sums_before) sum = 0;
    }
    __syncthreads();
  }

  __device__ unsigned next_phase() const { return phase_ == 2 ? 0 : phase_ + 1; }

  // The vertex at `i` of this part; an empty one beyond its end.
  __device__ BegunVertex begin(unsigned i) const
  {
    BegunVertex begun;
    begun.vertex = i < count_ ? part_.vertices[turn_][i] : LeanVertex{};
    fetch_targets(begun, 0);
    return begun;
  }

  __device__ void fetch_targets(BegunVertex& begun, unsigned from) const
  {
#pragma unroll
    for (unsigned k = 0; k < lean_in_flight; ++k)
      begun.targets[k] = from + k < begun.vertex.length ? view_.out.targets[begun.vertex.first + from + k] : no_vertex;
  }

  // All lanes together. What is found is of `level`.
  __device__ void expand(BegunVertex begun, std::int32_t level)
  {
    const LeanVertex& source = begun.vertex;
    const std::uint32_t(&targets)[lean_in_flight] = begun.targets;
    for (unsigned from = 0; __any_sync(all_lanes, from < source.length); from += lean_in_flight) {
      if (from != 0) fetch_targets(begun, from);
      std::uint32_t words[lean_in_flight];
      LeanVertex next[lean_in_flight];
#pragma unroll
      for (unsigned k = 0; k < lean_in_flight; ++k) {
        words[k] = ~0u;
        if (targets[k] == no_vertex) continue;
        words[k] = atomicOr(view_.visited + targets[k] / 32, 1u << (targets[k] % 32));
        next[k] = {view_.out.first(targets[k]), targets[k], view_.out.length(targets[k])};
      }
      unsigned fresh = 0, entries = 0, flags = 0;
#pragma unroll
      for (unsigned k = 0; k < lean_in_flight; ++k) {
        if ((words[k] >> (targets[k] % 32) & 1) != 0) continue;
        view_.settle(targets[k], source.slot, level);
        fresh |= 1u << k;
        entries += next[k].length;
        if (next[k].length > lean_list) {
          flags |= long_list_found;
          atomicMax(&board_.longest, next[k].length);
        }
        if (targets[k] == view_.target) flags |= target_found;
      }
      if (!__any_sync(all_lanes, fresh != 0)) continue;
      unsigned const mine = __popc(fresh), end = sum_up_to_lane(mine);
      entries = sum_for_all_lanes(entries);
      flags = join_for_all_lanes(flags);
      unsigned at = 0;
      if (lane_id() == warp_threads - 1) {
        LeanCount& found = notes_.found[phase_];
        at = atomicAdd(&found.vertices, end);
        atomicAdd(&found.entries, entries);
        if (flags != 0) atomicOr(&found.flags, flags);
      }
      at = __shfl_sync(all_lanes, at, warp_threads - 1) + end - mine;
#pragma unroll
      for (unsigned k = 0; k < lean_in_flight; ++k) {
        if ((fresh >> k & 1) == 0) continue;
        if (at < most_lean_in_block)
          part_.vertices[1 - turn_][at] = next[k];
        else
          put_back(next[k]);
        ++at;
      }
    }
  }

  __device__ void put_back(const LeanVertex& vertex) const
  {
    if (vertex.length >= long_list)
      view_.longs[lean_.longs_begin + atomicAdd(&board_.longs, 1)] = vertex.slot;
    else
      view_.queue[lean_.begin + atomicAdd(&board_.queued, 1)] = vertex.slot;
  }

  // What this block has found is its next part. What does not fit is back in the queue already.
  __device__ LeanCount take_found()
  {
    LeanCount found = notes_.found[phase_];
    count_ = found.vertices;
    entries_ = found.entries;
    if (count_ > most_lean_in_block) found.flags |= uneven;
    return found;
  }

  // What all blocks have found, the same in every thread of every block. `frontier` vertices were expanded. A part much
  // larger than the others would make them wait.
  __device__ LeanCount meet(LeanCount found, unsigned frontier)
  {
    if (count_ > 2 * (frontier / blocks_) + warp_threads) found.flags |= uneven;
    if (threadIdx.x == 0) notes_.all = pass_gate(found);
    __syncthreads();
    return notes_.all;
  }

  // By one thread. Needs no order among memory operations: all that one level hands to the next are visited bits, whose
  // atomics have answered before a block comes here, and these sums. Nobody waits for what others write, but where
  // flags are up.
  __device__ LeanCount pass_gate(const LeanCount& found)
  {
    if (found.flags != 0) {
      atomicOr(&board_.flags, found.flags);
      __threadfence();
    }
    Count const most_entries = (Count{1} << found_bits) / blocks_ - 1;  // more are counted when all goes back
    ::cuda::atomic_ref<Count, ::cuda::thread_scope_device> const sum(board_.sums[gate_]);
    sum.fetch_add(Count{1} | (found.flags != 0 ? Count{1} << arrived_bits : 0) |
                      Count{found.vertices} << (arrived_bits + flagged_bits) |
                      min(Count{found.entries}, most_entries) << (arrived_bits + flagged_bits + found_bits),
                  ::cuda::memory_order_relaxed);
    // A sum is never cleared: what it was when its last level ended, everybody has seen.
    Count all = 0;
    auto const field = [&](unsigned first, unsigned bits) {
      return static_cast<unsigned>(all >> first & ((Count{1} << bits) - 1));
    };
    do all = sum.load(::cuda::memory_order_relaxed) - notes_.sums_before[gate_];
    while (field(0, arrived_bits) < blocks_);
    notes_.sums_before[gate_] += all;
    gate_ = (gate_ + 1) % 3;
    unsigned flags = 0;
    if (field(arrived_bits, flagged_bits) != 0) {
      __threadfence();
      flags = *const_cast<volatile unsigned*>(&board_.flags);
    }
    return {field(arrived_bits + flagged_bits, found_bits), field(arrived_bits + flagged_bits + found_bits, found_bits),
            flags};
  }

  // By a thread that has nothing else to do, while the others expand the next one.
  __device__ void log_level(unsigned logged, LevelLog level)
  {
    std::uint64_t const now = nanoseconds_now();
    level.nanoseconds = now - lean_.started;
    view_.log[logged] = level;
    lean_.started = now;
    lean_.expanded_entries += level.checked;
    lean_.discovered += level.discovered;
  }

  __device__ void give_back()
  {
    for (unsigned i = threadIdx.x; i < min(count_, most_lean_in_block); i += blockDim.x)
      put_back(part_.vertices[turn_][i]);
    if (threadIdx.x == 0) atomicAdd(&board_.entries, Count{entries_});
  }

  const SearchView<Parent>& view_;
  LeanCursor& lean_;
  LeanPart& part_;
  LeanNotes& notes_;
  LeanBoard& board_;
  unsigned blocks_;
  unsigned count_ = 0, entries_ = 0;  // of this part
  unsigned turn_ = 0;                 // where its vertices are
  unsigned phase_ = 0;                // where those are counted that are found
  unsigned gate_ = 0;                 // which sum is the next
};

// Takes the search from `cursor` as far as it is lean, and brings the cursor up to date. Called by all blocks; those
// that are not needed wait.
template <typename Parent>
__device__ void run_lean_levels(const SearchView<Parent>& view, Cursor& cursor, LeanCursor& lean, LeanPart& part,
                                LeanNotes& notes, unsigned most_levels, const cooperative_groups::grid_group& grid)
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
  if (blockIdx.x == 0 && threadIdx.x == 0) view.lean_boards[0] = {};
  grid.sync();
  for (unsigned turn = 0; lean.goes_on; turn = 1 - turn) {
    LeanBoard& board = view.lean_boards[turn];
    unsigned const blocks =
        lean.count <= most_vertices_alone ? 1 : min(min(gridDim.x, view.multiprocessors), (1u << arrived_bits) - 1);
    if (blockIdx.x < blocks) LeanLevels(view, lean, part, notes, board, blocks).run(most_levels);
    __syncthreads();  // the last level is logged
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      *view.lean_cursor = lean;
      view.lean_boards[1 - turn] = {};
    }
    grid.sync();
    if (threadIdx.x == 0) {
      lean = *view.lean_cursor;
      lean.count = __ldcg(&board.queued);
      lean.longs = __ldcg(&board.longs);
      lean.longest = __ldcg(&board.longest);
      lean.entries = __ldcg(&board.entries);
      lean.goes_on = !lean.finished && lean.logged < most_levels && lean.longest <= lean_list && lean.longs == 0 &&
                     lean.count <= most_lean_vertices(view) && lean.entries <= view.most_surely_pushed;
    }
    grid.sync();  // all have read what block 0 writes next
  }
  if (threadIdx.x == 0) leave_lean(lean, cursor);
  __syncthreads();
}

}  // namespace brushfire::cuda
