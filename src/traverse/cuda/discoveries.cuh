// What a warp finds in a level: counted in registers and shared memory, queued in batches, so that the counters in
// global memory are touched once in a hundred discoveries.
#pragma once

#include "traverse/cuda/search_view.cuh"

namespace brushfire::cuda {

// Who runs a level: the whole grid, block 0 alone, or whoever a lean level needs (lean.cuh).
enum class Mode : std::uint8_t { wide, narrow, lean };

// What a level does with each kind of target, the same in every block.
struct LevelPlan {
  ClassLimit limits[2];           // for targets that are delegates, normals
  std::uint32_t pulled_below[2];  // the same as slots: sources below are pulled, the others push
  std::uint32_t shortest_piece;   // that a long list is cut into
  bool pushes, pulls;
  bool apart;   // the pull is for the kernels of first_pull.cuh
  bool cuts;    // long lists may be among those that push
  bool clears;  // on the way, the pull gives every normal vertex that it does not settle the parent -1
  Mode mode;
};

constexpr unsigned staged_per_warp = 128;

// Where slots are appended, and the counters of what was.
struct QueueEnd {
  unsigned begin = 0, longs_begin = 0;
  unsigned* count = nullptr;  // null: nothing is queued
  unsigned* longs_count = nullptr;
};

__device__ inline Count sum_over_warp(Count value)
{
  for (unsigned offset = warp_threads / 2; offset != 0; offset /= 2)
    value += __shfl_down_sync(all_lanes, value, offset);
  return value;
}
__device__ inline unsigned sum_over_warp(unsigned value)
{
  for (unsigned offset = warp_threads / 2; offset != 0; offset /= 2)
    value += __shfl_down_sync(all_lanes, value, offset);
  return value;
}
// The same, and all bits joined, known to every lane; one instruction where the GPU has it.
__device__ inline unsigned sum_for_all_lanes(unsigned value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(all_lanes, value);
#else
  for (unsigned offset = warp_threads / 2; offset != 0; offset /= 2) value += __shfl_xor_sync(all_lanes, value, offset);
  return value;
#endif
}
__device__ inline unsigned join_for_all_lanes(unsigned value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(all_lanes, value);
#else
  for (unsigned offset = warp_threads / 2; offset != 0; offset /= 2) value |= __shfl_xor_sync(all_lanes, value, offset);
  return value;
#endif
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

// Which lane's run covers `index`, when lane l's ends at its `end` and starts where the one before it ends. All lanes
// together; each asks for its own index.
__device__ inline unsigned lane_that_holds(std::uint32_t end, std::uint32_t index)
{
  unsigned owner = 0;
#pragma unroll
  for (unsigned step = warp_threads / 2; step != 0; step /= 2)
    if (__shfl_sync(all_lanes, end, owner + step - 1) <= index) owner += step;
  return owner;
}

struct ListLength {
  std::uint32_t all = 0;
  std::uint32_t to_delegates = 0;
};

// What a warp appends to the queue of slots, or to that of slots whose lists are long.
class SlotQueue {
 public:
  // `staged` is shared memory of the warp, for staged_per_warp slots.
  __device__ SlotQueue(std::uint32_t* slots, std::uint32_t* longs, std::uint32_t* staged, const QueueEnd& end)
      : slots_(slots), longs_(longs), staged_(staged), end_(end)
  {
  }

  // Queues the slots that each lane wants, bit k of `wanted` for slots[k]; `lengths` are those of lists that may be
  // long. All lanes together.
  template <unsigned count>
  __device__ void enqueue(unsigned wanted, const std::uint32_t (&slots)[count], const ListLength (&lengths)[count])
  {
    static_assert(count * warp_threads <= staged_per_warp);
    if (end_.count == nullptr || !__any_sync(all_lanes, wanted != 0)) return;
    unsigned longs = 0;
#pragma unroll
    for (unsigned k = 0; k < count; ++k)
      if ((wanted >> k & 1) != 0 && lengths[k].all >= long_list) longs |= 1u << k;
    if (__any_sync(all_lanes, longs != 0)) {
      unsigned at = end_.longs_begin + take_places(__popc(longs), end_.longs_count);
#pragma unroll
      for (unsigned k = 0; k < count; ++k)
        if ((longs >> k & 1) != 0) longs_[at++] = slots[k];
    }
    unsigned const shorts = wanted & ~longs;
    unsigned at = take_staged(__popc(shorts));
#pragma unroll
    for (unsigned k = 0; k < count; ++k)
      if ((shorts >> k & 1) != 0) staged_[at++] = slots[k];
    __syncwarp();
  }

  // Each lane's slots of `bits`, counted from its `first`; none of their lists is long. All lanes together.
  __device__ void enqueue_bits(std::uint32_t bits, std::uint32_t first)
  {
    if (sum_for_all_lanes(__popc(bits)) > staged_per_warp) {
      unsigned at = end_.begin + take_places(__popc(bits), end_.count);
      for (; bits != 0; bits &= bits - 1) slots_[at++] = first + __ffs(bits) - 1;
    } else {
      unsigned at = take_staged(__popc(bits));
      for (; bits != 0; bits &= bits - 1) staged_[at++] = first + __ffs(bits) - 1;
      __syncwarp();
    }
  }

  // Nothing stays behind. All lanes together.
  __device__ void flush()
  {
    if (staged_count_ == 0) return;
    __syncwarp();
    unsigned first = 0;
    if (lane_id() == 0) first = end_.begin + atomicAdd(end_.count, staged_count_);
    first = __shfl_sync(all_lanes, first, 0);
    for (unsigned i = lane_id(); i < staged_count_; i += warp_threads) slots_[first + i] = staged_[i];
    staged_count_ = 0;
    __syncwarp();
  }

 private:
  // Places behind `count` for as many as each lane has: the first of this lane's.
  static __device__ unsigned take_places(unsigned mine, unsigned* count)
  {
    unsigned const end = sum_up_to_lane(mine);
    unsigned first = 0;
    if (lane_id() == warp_threads - 1) first = atomicAdd(count, end);
    return __shfl_sync(all_lanes, first, warp_threads - 1) + end - mine;
  }

  // The same among those staged, at most staged_per_warp of all lanes.
  __device__ unsigned take_staged(unsigned mine)
  {
    unsigned const end = sum_up_to_lane(mine);
    unsigned const total = __shfl_sync(all_lanes, end, warp_threads - 1);
    if (staged_count_ + total > staged_per_warp) flush();
    unsigned const first = staged_count_ + end - mine;
    staged_count_ += total;
    return first;
  }

  std::uint32_t* slots_;
  std::uint32_t* longs_;
  std::uint32_t* staged_;
  QueueEnd end_;
  unsigned staged_count_ = 0;  // the same in all lanes
};

// Counts the lists of a delegate that was found in a level, by its class.
template <typename Parent>
__device__ void count_lists_of_delegate(const SearchView<Parent>& view, LevelTally& tally, std::uint32_t rank,
                                        ListLength length)
{
  auto const groups_of = [](std::uint32_t entries) {
    return entries / entries_per_group + (entries % entries_per_group != 0);
  };
  unsigned const its_class = class_of_rank(rank);
  std::uint32_t const to_normals = length.all - length.to_delegates;
  if (length.to_delegates != 0) atomicAdd(&tally.groups_of_delegates[0][its_class], groups_of(length.to_delegates));
  if (to_normals != 0) atomicAdd(&tally.groups_of_delegates[1][its_class], groups_of(to_normals));
}

template <typename Parent>
class Discoveries {
 public:
  // `tally` and `staged` (for staged_per_warp slots) are shared memory, the one of the block, the other of the warp.
  __device__ Discoveries(const SearchView<Parent>& view, LevelTally& tally, std::uint32_t* staged,
                         const QueueEnd& queue)
      : view_(view), tally_(tally), queue_(view.queue, view.longs, staged, queue)
  {
  }

  static __device__ std::uint32_t left_out(std::uint32_t) { return 0; }  // bits of a word that a pull passes over
  __device__ void add_checked(unsigned count) { checked_ += count; }     // each lane for itself

  // The list of a slot, where anybody wants to know: loads only, so that several can be under way.
  __device__ ListLength measure(std::uint32_t slot) const
  {
    if (passes_unmeasured(slot)) return {};
    std::uint32_t const row = view_.row_of(slot);
    return {view_.out.length(row), view_.out.delegate_length(row)};
  }

  // This lane has claimed `slot`.
  __device__ void add(std::uint32_t slot, ListLength length)
  {
    if (slot == view_.target) tally_.target_reached = 1;
    if (slot < view_.delegates) {
      ++delegates_;
      count_lists_of_delegate(view_, tally_, slot, length);
    } else {
      ++normals_;
      longest_ = max(longest_, length.all);
      normal_entries_[0] += length.to_delegates;
      normal_entries_[1] += length.all - length.to_delegates;
    }
  }

  // This lane has claimed the slots of `bits`, counted from `first`.
  __device__ void add_word(std::uint32_t bits, std::uint32_t first)
  {
    if (passes_unmeasured(first)) {
      normals_ += __popc(bits);
      if (view_.target - first < 32 && (bits >> (view_.target - first) & 1) != 0) tally_.target_reached = 1;
      return;
    }
    for (; bits != 0; bits &= bits - 1) {
      std::uint32_t const slot = first + __ffs(bits) - 1;
      add(slot, measure(slot));
    }
  }

  // As SlotQueue has it.
  template <unsigned count>
  __device__ void enqueue(unsigned wanted, const std::uint32_t (&slots)[count], const ListLength (&lengths)[count])
  {
    queue_.enqueue(wanted, slots, lengths);
  }

  // Whether nobody wants to know how long the lists of slots from `first` on are: they are short.
  __device__ bool passes_unmeasured(std::uint64_t first) const
  {
    return first >= view_.delegates && !view_.measure_normals;
  }
  __device__ void enqueue_bits(std::uint32_t bits, std::uint32_t first) { queue_.enqueue_bits(bits, first); }

  // All lanes together; nothing may be added afterwards.
  __device__ void finish()
  {
    queue_.flush();
    if (!__any_sync(all_lanes, (checked_ | delegates_ | normals_) != 0)) return;
    Count const checked = sum_over_warp(checked_);
    unsigned const delegates = sum_over_warp(delegates_);
    unsigned const normals = sum_over_warp(normals_);
    if (longest_ > tally_.longest) atomicMax(&tally_.longest, longest_);
    for (int kind = 0; kind < 2 && view_.measure_normals; ++kind)
      if (Count const entries = sum_over_warp(normal_entries_[kind]); lane_id() == 0 && entries != 0)
        atomicAdd(&tally_.entries_of_normals[kind], entries);
    if (lane_id() != 0) return;
    if (checked != 0) atomicAdd(&tally_.checked, checked);
    if (delegates != 0) atomicAdd(&tally_.discovered_delegates, delegates);
    if (normals != 0) atomicAdd(&tally_.discovered_normals, normals);
  }

 private:
  const SearchView<Parent>& view_;
  LevelTally& tally_;
  SlotQueue queue_;
  Count normal_entries_[2] = {0, 0};  // of measured normal vertices
  Count checked_ = 0;
  unsigned delegates_ = 0, normals_ = 0;
  unsigned longest_ = 0;
};

}  // namespace brushfire::cuda
