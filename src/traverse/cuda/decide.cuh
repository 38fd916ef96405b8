// Where a search stands, and what its next level does: computed by one warp of every block from the same numbers, so
// that all blocks come to the same answer and nobody has to tell the others.
#pragma once

#include "traverse/cuda/discoveries.cuh"
#include "traverse/cuda/lean.cuh"

namespace brushfire::cuda {

// The cursor of a search whose frontier is its root; by one warp.
template <typename Parent>
__device__ void place_at_root(const SearchView<Parent>& view, Cursor& cursor)
{
  std::uint32_t const length = view.out.length(view.row_of(view.root));
  std::uint32_t const to_delegates = view.out.delegate_length(view.row_of(view.root));
  for (unsigned its_class = lane_id(); its_class < source_classes; its_class += warp_threads) {
    bool const here = its_class == view.class_of(view.root);
    cursor.in_frontier[0][its_class] = here ? to_delegates : 0;
    cursor.in_frontier[1][its_class] = here ? length - to_delegates : 0;
    for (int kind = 0; kind < 2; ++kind) cursor.unexplored[kind][its_class] = view.entries_of_class[kind][its_class];
  }
  if (lane_id() != 0) return;
  bool const delegate = view.root < view.delegates;
  bool const waited = (view.never[view.root / 32] >> (view.root % 32) & 1) == 0;
  cursor.level = 0;
  cursor.pulling = cursor.pulled = cursor.pulled_apart = false;
  cursor.finished = view.max_depth == 0 || view.target == view.root;
  cursor.has_queue = true;
  cursor.cleared = false;
  cursor.tally = 0;
  cursor.queue_begin = cursor.longs_begin = 0;
  cursor.queue_count = length < long_list;
  cursor.longs_count = length >= long_list;
  cursor.longest = length;
  cursor.frontier_delegates = delegate;
  cursor.frontier_normals = !delegate;
  cursor.waiting_delegates = view.searchable_delegates - (waited && delegate);
  cursor.waiting_normals = view.searchable_normals - (waited && !delegate);
  cursor.reached = 1;
  cursor.frontier_entries = length;
  cursor.started = nanoseconds_now();
  cursor.logged = 0;
}

// The sum over this lane and all above it.
__device__ inline float sum_from_lane(float value)
{
  for (unsigned offset = 1; offset < warp_threads; offset *= 2) {
    float const above = __shfl_down_sync(all_lanes, value, offset);
    if (lane_id() + offset < warp_threads) value += above;
  }
  return value;
}

// The cheapest limit for one kind of target: each lane works out one.
template <typename Parent>
__device__ ClassLimit choose_limit(const SearchView<Parent>& view, const Cursor& cursor, int kind)
{
  if (view.forced >= 0) return view.forced == static_cast<int>(Direction::push) ? 0 : source_classes;
  ClassLimit const limit = lane_id();
  float const in_frontier = limit < source_classes ? static_cast<float>(cursor.in_frontier[kind][limit]) : 0;
  float const unexplored = limit < source_classes ? static_cast<float>(cursor.unexplored[kind][limit]) : 0;
  ClassEntries const above{sum_from_lane(in_frontier), sum_from_lane(unexplored)};
  ClassEntries const below{__shfl_sync(all_lanes, above.in_frontier, 0) - above.in_frontier,
                           __shfl_sync(all_lanes, above.unexplored, 0) - above.unexplored};
  TargetKind const targets{static_cast<float>(kind == 0 ? cursor.waiting_delegates : cursor.waiting_normals),
                           static_cast<float>(kind == 0 ? view.delegates : view.vertices) / 32};
  float best = view.policy.cost(targets, limit, below, above);
  ClassLimit chosen = limit;
  for (unsigned offset = warp_threads / 2; offset != 0; offset /= 2) {
    float const other = __shfl_xor_sync(all_lanes, best, offset);
    ClassLimit const its_limit = __shfl_xor_sync(all_lanes, chosen, offset);
    if (other < best || (other == best && its_limit < chosen)) {
      best = other;
      chosen = its_limit;
    }
  }
  return chosen;
}

// By one warp.
template <typename Parent>
__device__ void decide(const SearchView<Parent>& view, const Cursor& cursor, LevelPlan& plan)
{
  std::uint64_t const entries = cursor.frontier_entries;
  bool const narrow = cursor.has_queue && cursor.longs_count == 0 && entries < view.narrow_entries &&
                      cursor.queue_count <= blockDim.x && view.forced != static_cast<int>(Direction::pull);
  // Cheaper than a look at all bits: no need to work out what a pull would cost.
  bool const surely_push = view.forced < 0 && cursor.has_queue && entries <= view.most_surely_pushed;
  ClassLimit limits[2] = {0, 0};
  if (!narrow && !surely_push)
    for (int kind = 0; kind < 2; ++kind) limits[kind] = choose_limit(view, cursor, kind);
  if (lane_id() != 0) return;
  plan.pushes = plan.pulls = plan.cuts = false;
  for (int kind = 0; kind < 2; ++kind) {
    bool const waiting = (kind == 0 ? cursor.waiting_delegates : cursor.waiting_normals) != 0;
    plan.limits[kind] = waiting ? limits[kind] : 0;
    // Where nobody waits, nothing is pushed either.
    plan.pulled_below[kind] = waiting ? first_slot_not_pulled(limits[kind], view.delegates) : no_vertex;
    bool const delegates_push = cursor.frontier_delegates != 0 && plan.pulled_below[kind] < view.delegates;
    bool const normals_push = cursor.frontier_normals != 0 && plan.pulled_below[kind] <= view.delegates;
    plan.pushes |= delegates_push || normals_push;
    plan.cuts |= delegates_push || (normals_push && view.measure_normals);
    plan.pulls |= plan.limits[kind] != 0;
  }
  plan.clears = plan.limits[1] != 0 && !cursor.cleared;
  plan.shortest_piece = entries <= most_in_short_pieces ? short_piece : long_list;
  plan.mode = is_lean(view, cursor) ? Mode::lean : narrow ? Mode::narrow : Mode::wide;
  plan.apart = plan.clears && plan.mode == Mode::wide && cursor.waiting_normals >= view.least_apart;
}

// The cursor after a level, from what the level has added up, in shared memory; by one warp. Logs the level when
// `logs`.
template <typename Parent>
__device__ void advance(const SearchView<Parent>& view, const LevelPlan& plan, const LevelTally& tally, Cursor& cursor,
                        bool logs)
{
  unsigned const normals = tally.discovered_normals;
  unsigned const delegates = tally.discovered_delegates;
  std::uint64_t entries = 0;
  for (unsigned its_class = lane_id(); its_class < source_classes; its_class += warp_threads) {
    for (int kind = 0; kind < 2; ++kind) {
      std::uint64_t& unexplored = cursor.unexplored[kind][its_class];
      std::uint64_t& in_frontier = cursor.in_frontier[kind][its_class];
      unexplored -= min(unexplored, in_frontier);
      if (its_class != normal_class)
        in_frontier = std::uint64_t{tally.groups_of_delegates[kind][its_class]} * entries_per_group;
      else if (view.measure_normals)
        in_frontier = tally.entries_of_normals[kind];
      else
        in_frontier = static_cast<std::uint64_t>(ceil(view.entries_per_normal[kind] * normals));
      entries += in_frontier;
    }
  }
  entries = sum_over_warp(Count{entries});
  if (lane_id() != 0) return;
  std::uint64_t const now = nanoseconds_now();
  if (logs)
    view.log[cursor.logged] = {cursor.level,
                               {plan.limits[0], plan.limits[1]},
                               std::uint64_t{cursor.frontier_delegates} + cursor.frontier_normals,
                               tally.checked,
                               std::uint64_t{delegates} + normals,
                               now - cursor.started};
  ++cursor.logged;
  cursor.started = now;
  cursor.queue_begin += cursor.queue_count;
  cursor.longs_begin += cursor.longs_count;
  cursor.queue_count = plan.pulls ? 0 : tally.queued;
  cursor.longs_count = plan.pulls ? 0 : tally.queued_longs;
  cursor.longest = tally.longest;
  cursor.pulled = false;
  cursor.has_queue = !plan.pulls;
  cursor.cleared |= plan.clears;
  cursor.frontier_entries = entries;
  cursor.frontier_delegates = delegates;
  cursor.frontier_normals = normals;
  cursor.waiting_delegates -= delegates;
  cursor.waiting_normals -= normals;
  cursor.reached += std::uint64_t{delegates} + normals;
  if (delegates + normals != 0) ++cursor.level;
  cursor.finished = delegates + normals == 0 || tally.target_reached != 0 || cursor.level == view.max_depth;
}

__device__ inline QueueEnd queue_after(const Cursor& cursor, LevelTally& tally)
{
  return {cursor.queue_begin + cursor.queue_count, cursor.longs_begin + cursor.longs_count, &tally.queued,
          &tally.queued_longs};
}

__device__ inline void clear(LevelTally& tally, unsigned thread, unsigned threads)
{
  auto* const words = reinterpret_cast<unsigned*>(&tally);
  for (unsigned i = thread; i < sizeof(LevelTally) / sizeof(unsigned); i += threads) words[i] = 0;
}

// Adds what a block has found to what the level has; the queues have their counters in the level's already.
__device__ inline void add_block_tally(const LevelTally& block, LevelTally& level)
{
  if (unsigned const i = threadIdx.x; i < 2 * normal_class) {
    unsigned const groups = block.groups_of_delegates[i / normal_class][i % normal_class];
    if (groups != 0) atomicAdd(&level.groups_of_delegates[i / normal_class][i % normal_class], groups);
  } else if (i == 2 * normal_class) {
    for (int kind = 0; kind < 2; ++kind)
      if (block.entries_of_normals[kind] != 0)
        atomicAdd(&level.entries_of_normals[kind], block.entries_of_normals[kind]);
    if (block.checked != 0) atomicAdd(&level.checked, block.checked);
    if (block.discovered_delegates != 0) atomicAdd(&level.discovered_delegates, block.discovered_delegates);
    if (block.discovered_normals != 0) atomicAdd(&level.discovered_normals, block.discovered_normals);
    if (block.target_reached != 0) level.target_reached = 1;
    if (block.longest != 0) atomicMax(&level.longest, block.longest);
  }
}

// The cursor, between a block and global memory.
__device__ inline void copy_cursor(const Cursor& from, Cursor& to)
{
  static_assert(sizeof(Cursor) % sizeof(unsigned) == 0);
  auto const* const source = reinterpret_cast<const unsigned*>(&from);
  auto* const target = reinterpret_cast<unsigned*>(&to);
  for (unsigned i = threadIdx.x; i < sizeof(Cursor) / sizeof(unsigned); i += blockDim.x) target[i] = source[i];
  __syncthreads();
}

}  // namespace brushfire::cuda
