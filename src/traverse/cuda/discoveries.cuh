// What a warp finds in a level: counted in registers and shared memory, queued in batches, so that the counters in
// global memory are touched once in a hundred discoveries.
#pragma once

#include "traverse/cuda/search_view.cuh"

namespace brushfire::cuda {

// What a level does with each kind of target, the same in every block.
struct LevelPlan {
  ClassLimit limits[2];           // for targets that are delegates, normals
  std::uint32_t pulled_below[2];  // the same as slots: sources below are pulled, the others push
  bool pushes, pulls;
  bool clears;  // on the way, the pull gives every normal vertex that it does not settle the parent -1
  bool narrow;  // one block does it alone
};

constexpr unsigned staged_per_warp = 128;

// Where slots are appended, and the counters of what was.
struct QueueEnd {
  unsigned begin = 0, pieces_begin = 0;
  unsigned* count = nullptr;  // null: nothing is queued
  unsigned* pieces_count = nullptr;
};

__device__ inline Count sum_over_warp(Count value)
{
  for (unsigned offset = warp_threads / 2; offset != 0; offset /= 2) value += __shfl_down_sync(all_lanes, value, offset);
  return value;
}
__device__ inline unsigned sum_over_warp(unsigned value)
{
  for (unsigned offset = warp_threads / 2; offset != 0; offset /= 2) value += __shfl_down_sync(all_lanes, value, offset);
  return value;
}
// The sum over this lane and all before it.
__device__ inline std::uint32_t sum_up_to_lane(std::uint32_t value)
{
  for (unsigned offset = 1; offset < warp_threads; offset *= 2) {
    std::uint32_t const before = __shfl_up_sync(all_lanes, value, offset);
    if (lane_id() >= offset) value += before;
  }
  return value;
}

template <typename Parent>
class Discoveries {
 public:
  // `tally` and `staged` (for staged_per_warp slots) are shared memory, the one of the block, the other of the warp.
  __device__ Discoveries(const SearchView<Parent>& view, LevelTally& tally, std::uint32_t* staged, const QueueEnd& queue)
      : view_(view), tally_(tally), staged_(staged), queue_(queue)
  {
  }

  __device__ void add_checked(unsigned count) { checked_ += count; }  // each lane for itself

  // This lane has claimed `slot`. Returns the length of its list where that is measured, else 0.
  __device__ std::uint32_t add(std::uint32_t slot)
  {
    bool const delegate = slot < view_.delegates;
    delegates_ += delegate;
    normals_ += !delegate;
    if (slot == view_.target) tally_.target_reached = 1;
    return delegate || view_.measure_normals ? measure(slot) : 0;
  }

  // This lane has claimed the slots of `bits`, counted from `first`.
  __device__ void add_word(std::uint32_t bits, std::uint32_t first)
  {
    if (first >= view_.delegates && !view_.measure_normals) {
      normals_ += __popc(bits);
      if (view_.target - first < 32 && (bits >> (view_.target - first) & 1) != 0) tally_.target_reached = 1;
      return;
    }
    for (; bits != 0; bits &= bits - 1) add(first + __ffs(bits) - 1);
  }

  // Queues `slot` in the lanes that want it; `length` is that of its list where it may be long. All lanes together.
  __device__ void enqueue(bool wanted, std::uint32_t slot, std::uint32_t length)
  {
    if (queue_.count == nullptr) return;
    bool const is_long = wanted && length >= long_list;
    unsigned const shorts = __ballot_sync(all_lanes, wanted && !is_long);
    unsigned const count = __popc(shorts);
    if (staged_count_ + count > staged_per_warp) flush();
    if (wanted && !is_long) staged_[staged_count_ + __popc(shorts & lanes_below())] = slot;
    staged_count_ += count;
    __syncwarp();
    if (unsigned const longs = __ballot_sync(all_lanes, is_long); longs != 0) cut(longs, slot, is_long ? length : 0);
  }

  // All lanes together; nothing may be added afterwards.
  __device__ void finish()
  {
    flush();
    Count const checked = sum_over_warp(checked_);
    unsigned const delegates = sum_over_warp(delegates_);
    unsigned const normals = sum_over_warp(normals_);
    if (view_.measure_normals) {
      unsigned const to_delegates = sum_over_warp(normal_groups_[0]);
      unsigned const to_normals = sum_over_warp(normal_groups_[1]);
      if (lane_id() == 0 && to_delegates != 0) atomicAdd(&tally_.groups_to_delegates[normal_class], to_delegates);
      if (lane_id() == 0 && to_normals != 0) atomicAdd(&tally_.groups_to_normals[normal_class], to_normals);
    }
    if (lane_id() != 0) return;
    if (checked != 0) atomicAdd(&tally_.checked, checked);
    if (delegates != 0) atomicAdd(&tally_.discovered_delegates, delegates);
    if (normals != 0) atomicAdd(&tally_.discovered_normals, normals);
  }

 private:
  static __device__ unsigned groups_of(std::uint32_t entries)
  {
    return entries / entries_per_group + (entries % entries_per_group != 0);
  }

  // Adds what the vertex will push.
  __device__ std::uint32_t measure(std::uint32_t slot)
  {
    std::uint32_t const length = view_.out.length(slot);
    std::uint32_t const to_delegates = view_.out.delegate_length(slot);
    unsigned const groups[2] = {groups_of(to_delegates), groups_of(length - to_delegates)};
    if (slot < view_.delegates) {
      unsigned const its_class = view_.class_of(slot);
      if (groups[0] != 0) atomicAdd(&tally_.groups_to_delegates[its_class], groups[0]);
      if (groups[1] != 0) atomicAdd(&tally_.groups_to_normals[its_class], groups[1]);
    } else {
      normal_groups_[0] += groups[0];
      normal_groups_[1] += groups[1];
    }
    return length;
  }

  // The warp writes the pieces of one list after another: a single lane would be busy for long with those of a hub.
  __device__ void cut(unsigned longs, std::uint32_t slot, std::uint32_t length)
  {
    std::uint32_t const pieces = length == 0 ? 0 : piece_count(length);
    std::uint32_t const end = sum_up_to_lane(pieces);
    unsigned first = 0;
    if (lane_id() == warp_threads - 1) first = queue_.pieces_begin + atomicAdd(queue_.pieces_count, end);
    first = __shfl_sync(all_lanes, first, warp_threads - 1) + end - pieces;
    for (; longs != 0; longs &= longs - 1) {
      unsigned const owner = __ffs(longs) - 1;
      std::uint32_t const its_slot = __shfl_sync(all_lanes, slot, owner);
      std::uint32_t const its_pieces = __shfl_sync(all_lanes, pieces, owner);
      unsigned const its_first = __shfl_sync(all_lanes, first, owner);
      for (std::uint32_t i = lane_id(); i < its_pieces; i += warp_threads) view_.pieces[its_first + i] = {its_slot, i};
    }
  }

  __device__ void flush()
  {
    if (staged_count_ == 0) return;
    __syncwarp();
    unsigned first = 0;
    if (lane_id() == 0) first = queue_.begin + atomicAdd(queue_.count, staged_count_);
    first = __shfl_sync(all_lanes, first, 0);
    for (unsigned i = lane_id(); i < staged_count_; i += warp_threads) view_.queue[first + i] = staged_[i];
    staged_count_ = 0;
    __syncwarp();
  }

  const SearchView<Parent>& view_;
  LevelTally& tally_;
  std::uint32_t* staged_;
  QueueEnd queue_;
  unsigned normal_groups_[2] = {0, 0};  // of measured normal vertices
  Count checked_ = 0;
  unsigned delegates_ = 0, normals_ = 0;
  unsigned staged_count_ = 0;  // the same in all lanes
};

}  // namespace brushfire::cuda
