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
  bool narrow;  // one block does it alone
};

constexpr unsigned staged_per_warp = 128;

// Shared memory of one block.
struct BlockTally {
  Count checked;
  Count entries_to_delegates[source_classes];
  Count entries_to_normals[source_classes];
  unsigned discovered_delegates, discovered_normals;
  unsigned target_reached;
};

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

// All lanes of a warp call its functions together.
template <typename Parent>
class Discoveries {
 public:
  // `staged` is shared memory for staged_per_warp slots.
  __device__ Discoveries(const SearchView<Parent>& view, BlockTally& block, std::uint32_t* staged,
                         const QueueEnd& queue)
      : view_(view), block_(block), staged_(staged), queue_(queue)
  {
  }

  __device__ void add_checked(Count count) { checked_ += count; }  // by one lane for all, or by each for itself

  // `fresh`: this lane has claimed `slot`.
  __device__ void add(bool fresh, std::uint32_t slot)
  {
    unsigned const found = __ballot_sync(all_lanes, fresh);
    if (found == 0) return;
    bool const delegate = fresh && slot < view_.delegates;
    discovered_ += __popc(found);
    delegates_ += __popc(__ballot_sync(all_lanes, delegate));
    bool is_long = false;
    if (delegate || (fresh && view_.measure_normals)) is_long = measure(slot);
    if (fresh && slot == view_.target) block_.target_reached = 1;
    if (queue_.count != nullptr) enqueue(fresh, is_long, slot);
  }

  // For vertices that were discovered before: only queued.
  __device__ void enqueue(bool wanted, bool is_long, std::uint32_t slot)
  {
    unsigned const shorts = __ballot_sync(all_lanes, wanted && !is_long);
    unsigned const count = __popc(shorts);
    if (staged_count_ + count > staged_per_warp) flush();
    if (wanted && !is_long) staged_[staged_count_ + __popc(shorts & lanes_below())] = slot;
    staged_count_ += count;
    if (wanted && is_long) cut(slot);
    __syncwarp();
  }

  // Nothing may be added afterwards.
  __device__ void finish()
  {
    flush();
    Count const checked = sum_over_warp(checked_);
    Count const to_delegates = sum_over_warp(normal_entries_[0]);
    Count const to_normals = sum_over_warp(normal_entries_[1]);
    if (lane_id() != 0) return;
    if (checked != 0) atomicAdd(&block_.checked, checked);
    if (to_delegates != 0) atomicAdd(&block_.entries_to_delegates[normal_class], to_delegates);
    if (to_normals != 0) atomicAdd(&block_.entries_to_normals[normal_class], to_normals);
    if (delegates_ != 0) atomicAdd(&block_.discovered_delegates, delegates_);
    if (discovered_ != delegates_) atomicAdd(&block_.discovered_normals, discovered_ - delegates_);
  }

 private:
  // Adds what the vertex will push; true when its list is to be cut.
  __device__ bool measure(std::uint32_t slot)
  {
    std::uint32_t const length = view_.out.length(slot);
    std::uint32_t const to_delegates = view_.out.delegate_length(slot);
    if (slot < view_.delegates) {
      unsigned const its_class = view_.class_of(slot);
      if (to_delegates != 0) atomicAdd(&block_.entries_to_delegates[its_class], Count{to_delegates});
      if (length != to_delegates) atomicAdd(&block_.entries_to_normals[its_class], Count{length - to_delegates});
    } else {
      normal_entries_[0] += to_delegates;
      normal_entries_[1] += length - to_delegates;
    }
    return length >= long_list;
  }

  __device__ void cut(std::uint32_t slot)
  {
    std::uint32_t const pieces = piece_count(view_.out.length(slot));
    unsigned const first = queue_.pieces_begin + atomicAdd(queue_.pieces_count, pieces);
    for (std::uint32_t i = 0; i < pieces; ++i) view_.pieces[first + i] = {slot, i};
  }

  __device__ void flush()
  {
    __syncwarp();
    unsigned first = 0;
    if (lane_id() == 0 && staged_count_ != 0) first = queue_.begin + atomicAdd(queue_.count, staged_count_);
    first = __shfl_sync(all_lanes, first, 0);
    for (unsigned i = lane_id(); i < staged_count_; i += warp_threads) view_.queue[first + i] = staged_[i];
    staged_count_ = 0;
    __syncwarp();
  }

  const SearchView<Parent>& view_;
  BlockTally& block_;
  std::uint32_t* staged_;
  QueueEnd queue_;
  Count checked_ = 0;
  Count normal_entries_[2] = {0, 0};  // of measured normal vertices, per lane
  unsigned staged_count_ = 0;
  unsigned discovered_ = 0, delegates_ = 0;  // the same in all lanes
};

}  // namespace brushfire::cuda
