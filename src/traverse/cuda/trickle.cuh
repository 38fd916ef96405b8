// Trickles: the tails of graphs with hubs, hundreds of levels of a few normal vertices each. One warp searches them
// with a vertex per lane and nothing shared with others: what a level waits for is the targets of its vertices, then
// their bits together with where their own lists are, then the claims. Anything else than few vertices with short lists
// of normal vertices is left to the other levels, before any of it is claimed. A kernel of its own: inside that of all
// levels it would cost the others registers, and 3 % of their speed.
#pragma once

#include "traverse/cuda/discoveries.cuh"

namespace brushfire::cuda {

inline constexpr unsigned trickle_list = 4;  // entries
// Without a tail, graphs with hubs have fewer levels, and would try in vain.
inline constexpr std::int32_t first_trickling_level = 16;
// A trickle of fewer levels was not worth two launches; the next is tried so many levels later.
inline constexpr std::int32_t least_trickle = 32, levels_until_next_try = 1024;

struct TrickleVertex {
  EdgeIndex first;  // entry of its list
  std::uint32_t slot, length, to_delegates;
};

// The same in all blocks.
template <typename Parent>
__device__ bool may_trickle(const SearchView<Parent>& view, const Cursor& cursor)
{
  return cursor.level >= view.trickles_from && cursor.has_queue && cursor.queue_count <= warp_threads &&
         cursor.longs_count == 0 && cursor.frontier_delegates == 0 && !view.measure_normals;
}

template <typename Parent>
__device__ TrickleVertex trickle_vertex(const SearchView<Parent>& view, std::uint32_t slot)
{
  std::uint32_t const row = view.row_of(slot);
  return {view.out.first(row), slot, view.out.length(row), view.out.delegate_length(row)};
}

// What the levels of a trickle leave.
struct Trickled {
  std::int32_t level;
  unsigned begin, count;  // of the frontier, in the queue
  std::uint64_t discovered, expanded;
  bool finished;
};

// Brings the cursor up to date, lists by their mean lengths; by one thread.
template <typename Parent>
__device__ void leave_trickle(const SearchView<Parent>& view, const Trickled& trickled, Cursor& cursor)
{
  cursor.level = trickled.level;
  cursor.finished = trickled.finished;
  cursor.queue_begin = trickled.begin;
  cursor.queue_count = trickled.count;
  cursor.frontier_normals = trickled.count;
  cursor.waiting_normals -= static_cast<std::uint32_t>(trickled.discovered);
  cursor.reached += trickled.discovered;
  cursor.frontier_entries = 0;
  for (int kind = 0; kind < 2; ++kind) {
    auto const entries_of = [&](std::uint64_t vertices) {
      return static_cast<std::uint64_t>(ceil(view.entries_per_normal[kind] * static_cast<double>(vertices)));
    };
    std::uint64_t& unexplored = cursor.unexplored[kind][normal_class];
    unexplored -= min(unexplored, entries_of(trickled.expanded));
    cursor.in_frontier[kind][normal_class] = entries_of(trickled.count);
    cursor.frontier_entries += entries_of(trickled.count);
  }
}

// Takes the search on from view.cursor as far as it trickles, or `most_levels`; one warp.
template <typename Parent>
__global__ void trickle_warp_per_frontier(SearchView<Parent> view, unsigned most_levels, LaunchSummary* summary,
                                          LevelLog* log_on_host)
{
  __shared__ TrickleVertex found_vertices[warp_threads];
  Cursor& cursor = *view.cursor;
  std::int32_t level = cursor.level;
  unsigned begin = cursor.queue_begin, count = cursor.queue_count, logged = 0;
  std::uint64_t started = nanoseconds_now(), discovered = 0, expanded = 0;
  bool finished = false;
  TrickleVertex source{};
  if (lane_id() < count) source = trickle_vertex(view, view.queue[begin + lane_id()]);
  while (!finished && logged < most_levels && count <= warp_threads) {
    std::uint32_t targets[trickle_list], words[trickle_list];
    TrickleVertex next[trickle_list];
    bool leaves = source.length > trickle_list;
#pragma unroll
    for (unsigned k = 0; k < trickle_list; ++k)
      targets[k] = k < source.length && !leaves
                       ? view.out.targets[source.first + k] + (k < source.to_delegates ? 0 : view.normal_base)
                       : no_vertex;
#pragma unroll
    for (unsigned k = 0; k < trickle_list; ++k) {
      words[k] = ~0u;
      if (targets[k] == no_vertex) continue;
      words[k] = __ldcg(view.visited + targets[k] / 32);
      next[k] = trickle_vertex(view, targets[k]);
    }
#pragma unroll
    for (unsigned k = 0; k < trickle_list; ++k)
      if (targets[k] < view.delegates && (words[k] >> (targets[k] % 32) & 1) == 0) leaves = true;
    if (__any_sync(all_lanes, leaves)) break;

    unsigned fresh = 0;
    bool target_reached = false;
#pragma unroll
    for (unsigned k = 0; k < trickle_list; ++k) {
      std::uint32_t const bit = 1u << (targets[k] % 32);
      if ((words[k] & bit) != 0 || (atomicOr(view.visited + targets[k] / 32, bit) & bit) != 0) continue;
      fresh |= 1u << k;
      view.settle(targets[k], view.vertex_of(source.slot), level + 1);
      target_reached |= targets[k] == view.target;
    }
    unsigned const checked = sum_for_all_lanes(source.length);
    unsigned const end = sum_up_to_lane(__popc(fresh)), found = __shfl_sync(all_lanes, end, warp_threads - 1);
    unsigned at = end - __popc(fresh);
#pragma unroll
    for (unsigned k = 0; k < trickle_list; ++k) {
      if ((fresh >> k & 1) == 0) continue;
      view.queue[begin + count + at] = targets[k];
      if (at < warp_threads) found_vertices[at] = next[k];
      ++at;
    }
    __syncwarp();
    source = lane_id() < found ? found_vertices[lane_id()] : TrickleVertex{};
    __syncwarp();
    std::uint64_t const now = nanoseconds_now();
    if (lane_id() == 0) log_on_host[logged] = {level, {0, 0}, count, checked, found, now - started};
    ++logged;
    started = now;
    begin += count;
    expanded += count;
    count = found;
    discovered += found;
    if (found != 0) ++level;
    finished = found == 0 || __any_sync(all_lanes, target_reached) || level == view.max_depth;
  }
  if (lane_id() != 0) return;
  leave_trickle(view, {level, begin, count, discovered, expanded, finished}, cursor);
  // The search kernel has the last word, if only to hand out parents.
  *summary = {cursor.reached, level, logged, false, false, cursor.pulled_apart, false};
}

}  // namespace brushfire::cuda
