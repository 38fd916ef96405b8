// Expanding the frontier of a part: where it is queued, what is launched for each kind of target, and by how many
// blocks. A level makes ready, expands to delegates, then to normal vertices, and last looks for delegates of others.
#pragma once

#include "device/gpus.hpp"
#include "device/launch.cuh"
#include "traverse/cuda/part_arrays.cuh"
#include "traverse/cuda/part_counters.cuh"
#include "traverse/cuda/part_gather.cuh"
#include "traverse/cuda/part_level.cuh"
#include "traverse/cuda/part_planning.cuh"

#include <algorithm>
#include <cstdint>

namespace brushfire::cuda {

template <typename Parent>
class PartExpansion {
 public:
  // `view` is looked at whenever something is launched; `least_apart` as of CudaStepperOptions.
  PartExpansion(const PartView<Parent>& view, const PartIndex& index, const PartPlanning& planning,
                PartArrays<Parent>& arrays, PartCounters& counters, std::uint64_t least_apart,
                const device::Stream& stream)
      : view_(view),
        index_(index),
        planning_(planning),
        arrays_(arrays),
        counters_(counters),
        // Here it takes one launch more, or two where the level also pushes; a device alone needs three.
        enough_apart_(std::max<std::uint64_t>(least_apart / 4, 1)),
        stream_(stream),
        most_blocks_(std::uint64_t{device::multiprocessors()} * part_shape.blocks)
  {
  }

  void start()
  {
    cursor_ = {};
    pulled_normals_ = false;
  }
  // When `planning` has taken it too.
  void take_frontier(const PartTally& tally)
  {
    cursor_.queue_count = tally.queued;
    cursor_.longs_count = tally.queued_longs;
    cursor_.just_queued = false;
    cursor_.frontier_entries = planning_.frontier_entries();
  }
  void next_level() { ++cursor_.level; }

  std::int32_t level() const { return cursor_.level; }
  bool just_queued() const { return cursor_.just_queued; }
  bool pushes() const { return planning_.plan_for(0).pushes || planning_.plan_for(1).pushes; }

  void make_ready()
  {
    queue_frontier();
    cut_long_lists();
  }
  // Whether there was anything to do.
  bool expand_delegates();
  bool expand_normals();
  void pull_late_delegates(std::uint32_t* late);

  unsigned blocks_to_scan() const { return 2 * blocks_for(view_.words, 2 * gather_threads); }

 private:
  unsigned blocks_for(std::uint64_t items, std::uint64_t per_block) const
  {
    return device::blocks_for(items, per_block, most_blocks_);
  }
  void queue_frontier();
  void cut_long_lists();
  void launch_expand(const PartView<Parent>& view, const LevelPlan& plan, const HomeTiles& homes, std::uint32_t* late,
                     PartTally* on_host);
  // Later pulls find few who wait, and gain nothing from it.
  bool pulls_apart(const LevelPlan& plan) const
  {
    return plan.pulls && !pulled_normals_ && planning_.counts().waiting[1] >= enough_apart_;
  }
  void pull_apart(const LevelPlan& plan);

  const PartView<Parent>& view_;
  const PartIndex& index_;
  const PartPlanning& planning_;
  PartArrays<Parent>& arrays_;
  PartCounters& counters_;
  std::uint64_t enough_apart_;
  const device::Stream& stream_;
  std::uint64_t most_blocks_;

  PartCursor cursor_{};
  bool pulled_normals_ = false;  // in this search
};

// A wide frontier, once it is known that it is pushed.
template <typename Parent>
void PartExpansion<Parent>::queue_frontier()
{
  if (!pushes() || planning_.counts().queued) return;
  std::uint32_t first_that_pushes = no_vertex;
  for (std::size_t kind = 0; kind < 2; ++kind)
    if (LevelPlan const plan = planning_.plan_for(kind); plan.pushes)
      first_that_pushes = std::min(first_that_pushes, plan.pulled_below[kind]);
  cursor_.just_queued = true;
  device::launch(cuda::queue_frontier<Parent>, blocks_to_scan(), gather_threads, stream_, view_, arrays_.fresh.data(),
                 first_that_pushes, counters_.tally());
}

template <typename Parent>
void PartExpansion<Parent>::cut_long_lists()
{
  std::uint64_t const longs = cursor_.just_queued ? arrays_.longs.size() : cursor_.longs_count;
  if (longs == 0 || !pushes()) return;
  LevelPlan plan = planning_.plan_for(0);
  plan.pulled_below[1] = planning_.plan_for(1).pulled_below[1];
  device::launch(cut_lists_warp_per_list<Parent>, blocks_for(longs, part_shape.warps()), part_shape.threads, stream_,
                 view_, cursor_, plan, counters_.tally());
}

// Targets that are delegates, before their bits are joined: the device pulls those that live here, and pushes all.
template <typename Parent>
bool PartExpansion<Parent>::expand_delegates()
{
  LevelPlan const plan = planning_.plan_for(0);
  PartView<Parent> view = view_;
  bool const pulls_normals = planning_.plan().kinds[0].pulls_normals;
  if (pulls_normals) {
    device::launch_over(std::uint64_t{view_.delegates} * warp_threads, pull_normals_warp_per_delegate<Parent>, stream_,
                        view_, counters_.tally(), counters_.tally_on_host());
    view.out.splits = arrays_.splits_of_delegates.data();
  }
  if (!plan.pulls && !plan.pushes) return pulls_normals;
  HomeTiles const homes{index_.home_tiles.data(), index_.home_tile_count, index_.home_bits.data()};
  launch_expand(view, plan, homes, nullptr, counters_.tally_on_host());
  return true;
}

template <typename Parent>
bool PartExpansion<Parent>::expand_normals()
{
  LevelPlan plan = planning_.plan_for(1);
  bool const anything = plan.pulls || plan.pushes;
  if (pulls_apart(plan)) {
    pull_apart(plan);
    plan.pulls = false;
  }
  if (plan.pulls || plan.pushes) launch_expand(view_, plan, {}, nullptr, nullptr);
  return anything;
}

// Delegates of others that nobody has found. Those found here are added to `late`.
template <typename Parent>
void PartExpansion<Parent>::pull_late_delegates(std::uint32_t* late)
{
  LevelPlan plan = planning_.plan_for(0);
  plan.pushes = false;
  launch_expand(view_, plan, {}, late, nullptr);
}

template <typename Parent>
void PartExpansion<Parent>::launch_expand(const PartView<Parent>& view, const LevelPlan& plan, const HomeTiles& homes,
                                          std::uint32_t* late, PartTally* on_host)
{
  // A small frontier is pushed by few.
  unsigned const blocks = blocks_for(plan.pulls ? view_.slots : cursor_.frontier_entries + cursor_.queue_count,
                                     cursor_.just_queued ? 1 : part_shape.threads);
  device::launch(expand_frontier<Parent>, std::max(1u, blocks), part_shape.threads, stream_, view, cursor_, plan, homes,
                 late, counters_.tally(), on_host);
}

template <typename Parent>
void PartExpansion<Parent>::pull_apart(const LevelPlan& plan)
{
  pulled_normals_ = true;
  std::uint32_t const shares = shares_of_normals(view_.words - view_.normal_base / 32);
  device::launch(ask_firsts_of_part<Parent>, blocks_for_shares(shares, ask_firsts_shape), ask_firsts_shape.threads,
                 stream_, view_, plan, counters_.tally());
  device::launch(walk_open_lists_of_part<Parent>, blocks_for_shares(shares, walk_open_shape), walk_open_shape.threads,
                 stream_, view_, cursor_.level, plan, counters_.tally());
}

}  // namespace brushfire::cuda
