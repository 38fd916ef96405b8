// From visited bits to the next frontier of a part, whoever found it. One pass over the bits counts what is new, lists
// what leads to other devices, and takes the counters to the host. Where little is new it is queued at once; a wide
// frontier is queued by a second pass, if it is pushed at all.
#pragma once

#include "traverse/cuda/part_level.cuh"

#include <cstddef>

namespace brushfire::cuda {

inline constexpr unsigned gather_threads = 256;
inline constexpr unsigned gather_warps = gather_threads / warp_threads;
inline constexpr unsigned queued_at_once = 64;  // at most, of the 1024 bits that a warp looks at

// A warp's way to the set bits of 32 words, those that its lanes hold: listed first, so that all lanes have some
// whichever words they are in.
class SetBits {
 public:
  static constexpr unsigned most = 32 * warp_threads;

  // `room` is shared memory of the warp. All lanes together.
  __device__ SetBits(std::uint32_t bits, std::uint16_t* room) : room_(room)
  {
    unsigned const end = sum_up_to_lane(__popc(bits));
    count_ = __shfl_sync(all_lanes, end, warp_threads - 1);
    __syncwarp();
    for (unsigned at = end - __popc(bits); bits != 0; bits &= bits - 1)
      room_[at++] = static_cast<std::uint16_t>(lane_id() * 32 + __ffs(bits) - 1);
    __syncwarp();
  }

  __device__ unsigned count() const { return count_; }

  // Calls visit(places, mine), four places of a lane at a time: bit j of `mine` says whether places[j] is one.
  static constexpr unsigned at_a_time = 4;
  template <typename Visit>
  __device__ void for_each(Visit&& visit) const
  {
    for (unsigned base = 0; base < count_; base += at_a_time * warp_threads) {
      std::uint32_t places[at_a_time];
      unsigned mine = 0;
#pragma unroll
      for (unsigned j = 0; j < at_a_time; ++j) {
        unsigned const i = base + j * warp_threads + lane_id();
        places[j] = i < count_ ? room_[i] : 0;
        mine |= static_cast<unsigned>(i < count_) << j;
      }
      visit(places, mine);
    }
  }

 private:
  std::uint16_t* room_;
  unsigned count_;
};

struct GatherMemory {
  LevelTally unused;
  unsigned in_class[source_classes];
  unsigned never_waited, at_home;
  bool is_last;  // of all blocks
  std::uint32_t staged[gather_warps][staged_per_warp];
  StagedList far_lists[gather_warps][lists_staged_per_warp];
  std::uint16_t set_bits[gather_warps][SetBits::most];
};

// What gathering needs beside the view.
struct GatherRequest {
  FarRowsView far_rows;
  FarListsBuilt far;
  const std::uint32_t* leads_far;  // bits of slots that have far rows
  const std::uint32_t* home_bits;  // delegates that live here
  std::uint32_t* fresh;            // bits of the frontier
  std::int32_t level;              // of what is gathered
  bool all_levels;                 // are noted; else only those that other devices may ask for
  PartTally* tally;
  std::uint32_t tally_words;  // with the counts of bins behind it
  PartTally* to_host;
};

// Counts the new bits of a word; each lane its own.
template <typename Parent>
__device__ void count_word(const SearchView<Parent>& view, const GatherRequest& request, std::uint32_t w,
                           std::uint32_t fresh, std::uint32_t never, GatherMemory& block)
{
  if (w >= view.normal_base / 32) {
    atomicAdd(&block.in_class[normal_class], __popc(fresh));
    if ((fresh & never) != 0) atomicAdd(&block.never_waited, __popc(fresh & never));
    return;
  }
  atomicAdd(&block.at_home, __popc(fresh & request.home_bits[w]));
  if (w != 0) {
    atomicAdd(&block.in_class[class_of_rank(w * 32)], __popc(fresh));
    return;
  }
  for (; fresh != 0; fresh &= fresh - 1) atomicAdd(&block.in_class[class_of_rank(__ffs(fresh) - 1)], 1u);
}

// Adds a block's counts to those of the level.
__device__ inline void add_gathered(const GatherMemory& block, PartTally& tally)
{
  auto const add = [](unsigned& sum, unsigned value) {
    if (value != 0) atomicAdd(&sum, value);
  };
  for (unsigned i = threadIdx.x; i < source_classes; i += blockDim.x) add(tally.in_class[i], block.in_class[i]);
  if (threadIdx.x != 0) return;
  add(tally.never_waited, block.never_waited);
  add(tally.delegates_at_home, block.at_home);
}

// The last block to come by takes the tally to the host and clears it for the next level.
__device__ inline void publish(const GatherRequest& request, bool& is_last)
{
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&request.tally->blocks_done, 1u) + 1 == gridDim.x;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  auto* const from = reinterpret_cast<unsigned*>(request.tally);
  auto* const to = reinterpret_cast<unsigned*>(request.to_host);
  for (unsigned i = threadIdx.x; i < request.tally_words; i += blockDim.x) {
    if (i < sizeof(PartTally) / sizeof(unsigned)) to[i] = __ldcg(from + i);
    from[i] = 0;
  }
}

// Queues what has lists, as far as it is `mine`. All lanes together.
template <typename Parent>
__device__ void queue_slots(const SearchView<Parent>& view, std::uint32_t first_slot, const SetBits& set_bits,
                            Discoveries<Parent>& queue)
{
  constexpr unsigned at_a_time = SetBits::at_a_time;
  set_bits.for_each([&](std::uint32_t(&slots)[at_a_time], unsigned mine) {
    ListLength lengths[at_a_time];
#pragma unroll
    for (unsigned j = 0; j < at_a_time; ++j) {
      slots[j] += first_slot;
      if ((mine >> j & 1) != 0) lengths[j].all = view.out.length(view.row_of(slots[j]));
    }
#pragma unroll
    for (unsigned j = 0; j < at_a_time; ++j)
      if (lengths[j].all == 0) mine &= ~(1u << j);
    queue.enqueue(mine, slots, lengths);
  });
}

// A warp takes 32 words of bits at a time. All threads of a block together.
template <typename Parent>
__global__ __launch_bounds__(gather_threads) void gather_frontier(const __grid_constant__ SearchView<Parent> view,
                                                                  const __grid_constant__ GatherRequest request)
{
  __shared__ GatherMemory block;
  auto* const cleared = reinterpret_cast<unsigned*>(&block);
  for (unsigned i = threadIdx.x; i < offsetof(GatherMemory, staged) / sizeof(unsigned); i += gather_threads)
    cleared[i] = 0;
  __syncthreads();
  PartTally& tally = *request.tally;
  Discoveries<Parent> queue(view, block.unused, block.staged[warp_id()],
                            QueueEnd{0, 0, &tally.queued, &tally.queued_longs});
  ListWriter far_lists(request.far, &tally.far, block.far_lists[warp_id()]);
  std::uint64_t const threads = std::uint64_t{gridDim.x} * gather_threads;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * gather_threads + warp_id() * warp_threads;
  for (std::uint64_t base = first; base < view.words; base += threads) {
    auto const w = static_cast<std::uint32_t>(base + lane_id());
    std::uint32_t fresh = 0, far = 0;
    if (w < view.words) {
      std::uint32_t const never = view.never[w];
      std::uint32_t const reached =
          (__ldcg(view.visited + w) & ~never) | (w == view.root / 32 ? 1u << (view.root % 32) : 0);
      fresh = reached & ~view.before[w];
      request.fresh[w] = fresh;
      if (fresh != 0) {
        view.before[w] = reached;
        far = fresh & request.leads_far[w];
        count_word(view, request, w, fresh, never, block);
        if (view.target / 32 == w && (fresh >> (view.target % 32) & 1) != 0) tally.target_reached = 1;
      }
    }
    if (!__any_sync(all_lanes, fresh != 0)) continue;
    auto const first_slot = static_cast<std::uint32_t>(base * 32);
    std::uint16_t* const room = block.set_bits[warp_id()];
    if (__reduce_add_sync(all_lanes, __popc(fresh)) <= queued_at_once)
      queue_slots(view, first_slot, SetBits(fresh, room), queue);
    else if (lane_id() == 0)
      tally.queue_cut = 1;
    if (request.all_levels)
      SetBits(fresh, room).for_each([&](const auto& places, unsigned mine) {
        for (unsigned j = 0; j < SetBits::at_a_time; ++j) {
          std::uint32_t const slot = first_slot + places[j];
          if ((mine >> j & 1) != 0)
            view.levels[slot < view.normal_base ? view.vertices + slot : slot - view.normal_base] = request.level;
        }
      });
    if (__any_sync(all_lanes, far != 0))
      SetBits(far, room).for_each([&](const auto& places, unsigned mine) {
        std::uint32_t lengths[SetBits::at_a_time];
#pragma unroll
        for (unsigned j = 0; j < SetBits::at_a_time; ++j)
          lengths[j] = (mine >> j & 1) != 0 ? request.far_rows.length(first_slot + places[j] - view.normal_base) : 0;
#pragma unroll
        for (unsigned j = 0; j < SetBits::at_a_time; ++j) {
          Vertex const v = first_slot + places[j] - view.normal_base;
          if (lengths[j] != 0 && !request.all_levels) view.levels[v] = request.level;
          far_lists.add(lengths[j] != 0, v, lengths[j], request.far_rows);
        }
      });
  }
  queue.finish();
  far_lists.flush();
  __syncthreads();
  add_gathered(block, tally);
  publish(request, block.is_last);
}

// The frontier that a wide level left in `fresh`, as far as it pushes.
template <typename Parent>
__global__ __launch_bounds__(gather_threads) void queue_frontier(const __grid_constant__ SearchView<Parent> view,
                                                                 const std::uint32_t* fresh,
                                                                 std::uint32_t first_that_pushes, PartTally* tally)
{
  __shared__ LevelTally unused;
  __shared__ std::uint32_t staged[gather_warps][staged_per_warp];
  __shared__ std::uint16_t set_bits[gather_warps][SetBits::most];
  Discoveries<Parent> queue(view, unused, staged[warp_id()], QueueEnd{0, 0, &tally->queued, &tally->queued_longs});
  std::uint64_t const threads = std::uint64_t{gridDim.x} * gather_threads;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * gather_threads + warp_id() * warp_threads;
  for (std::uint64_t base = first; base < view.words; base += threads) {
    std::uint64_t const w = base + lane_id();
    std::uint32_t bits = w < view.words ? fresh[w] : 0;
    if (w < first_that_pushes / 32) bits = 0;
    if (w == first_that_pushes / 32) bits &= ~0u << (first_that_pushes % 32);
    if (__any_sync(all_lanes, bits != 0))
      queue_slots(view, static_cast<std::uint32_t>(base * 32), SetBits(bits, set_bits[warp_id()]), queue);
  }
  queue.finish();
}

}  // namespace brushfire::cuda
