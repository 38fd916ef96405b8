// From visited bits to the next frontier of a part, whoever found it. One pass over the bits counts what is new, lists
// what leads to other devices, and takes the counters to the host. Where little is new it is queued at once; a wide
// frontier is queued by a second pass, if it is pushed at all.
#pragma once

#include "traverse/cuda/part_level.cuh"

#include <cstddef>

namespace brushfire::cuda {

inline constexpr unsigned queued_at_once = 64;  // at most, of the 1024 bits that a warp looks at

struct GatherMemory {
  LevelTally unused;
  unsigned in_class[source_classes];
  unsigned never_waited, at_home;
  bool is_last;  // of all blocks
  std::uint32_t staged[block_warps][staged_per_warp];
  StagedList far_lists[block_warps][lists_staged_per_warp];
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

// Calls visit(slots, mine) for the set bits of the words that a warp's lanes hold, the first of which is number `base`,
// four words at a time: bit j of `mine` says whether slots[j] is this lane's. All lanes together.
inline constexpr unsigned words_at_a_time = 4;
template <typename Visit>
__device__ void for_each_slot(std::uint64_t base, std::uint32_t bits, Visit&& visit)
{
  for (unsigned words = __ballot_sync(all_lanes, bits != 0); words != 0;) {
    std::uint32_t slots[words_at_a_time];
    unsigned mine = 0;
#pragma unroll
    for (unsigned j = 0; j < words_at_a_time; ++j) {
      unsigned const k = words == 0 ? 0 : __ffs(words) - 1;
      unsigned const exists = words != 0;
      words &= words - 1;
      slots[j] = static_cast<std::uint32_t>((base + k) * 32 + lane_id());
      mine |= (__shfl_sync(all_lanes, bits, k) >> lane_id() & exists) << j;
    }
    visit(slots, mine);
  }
}

// Queues what has lists, as far as it is `mine`. All lanes together.
template <typename Parent>
__device__ void queue_slots(const SearchView<Parent>& view, const std::uint32_t (&slots)[words_at_a_time],
                            unsigned mine, Discoveries<Parent>& queue)
{
  ListLength lengths[words_at_a_time];
#pragma unroll
  for (unsigned j = 0; j < words_at_a_time; ++j)
    if ((mine >> j & 1) != 0) lengths[j].all = view.out.length(view.row_of(slots[j]));
#pragma unroll
  for (unsigned j = 0; j < words_at_a_time; ++j)
    if (lengths[j].all == 0) mine &= ~(1u << j);
  queue.enqueue(mine, slots, lengths);
}

// A warp takes 32 words of bits at a time. All threads of a block together.
template <typename Parent>
__global__ __launch_bounds__(block_threads) void gather_frontier(const __grid_constant__ SearchView<Parent> view,
                                                                 const __grid_constant__ GatherRequest request)
{
  __shared__ GatherMemory block;
  auto* const cleared = reinterpret_cast<unsigned*>(&block);
  for (unsigned i = threadIdx.x; i < offsetof(GatherMemory, staged) / sizeof(unsigned); i += block_threads)
    cleared[i] = 0;
  __syncthreads();
  PartTally& tally = *request.tally;
  Discoveries<Parent> queue(view, block.unused, block.staged[warp_id()],
                            QueueEnd{0, 0, &tally.queued, &tally.queued_longs});
  ListWriter far_lists(request.far, &tally.far, block.far_lists[warp_id()]);
  std::uint64_t const threads = std::uint64_t{gridDim.x} * block_threads;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * block_threads + warp_id() * warp_threads;
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
    unsigned const count = __reduce_add_sync(all_lanes, __popc(fresh));
    if (count == 0) continue;
    if (count <= queued_at_once)
      for_each_slot(base, fresh, [&](auto& slots, unsigned mine) { queue_slots(view, slots, mine, queue); });
    else if (lane_id() == 0)
      tally.queue_cut = 1;
    for_each_slot(base, far, [&](auto& slots, unsigned mine) {
      std::uint32_t lengths[words_at_a_time];
#pragma unroll
      for (unsigned j = 0; j < words_at_a_time; ++j)
        lengths[j] = (mine >> j & 1) != 0 ? request.far_rows.length(slots[j] - view.normal_base) : 0;
#pragma unroll
      for (unsigned j = 0; j < words_at_a_time; ++j) {
        Vertex const v = slots[j] - view.normal_base;
        if (lengths[j] != 0 && !request.all_levels) view.levels[v] = request.level;
        far_lists.add(lengths[j] != 0, v, lengths[j], request.far_rows);
      }
    });
    if (request.all_levels)
      for_each_slot(base, fresh, [&](auto& slots, unsigned mine) {
        for (unsigned j = 0; j < words_at_a_time; ++j)
          if ((mine >> j & 1) != 0)
            view.levels[slots[j] < view.normal_base ? view.vertices + slots[j] : slots[j] - view.normal_base] =
                request.level;
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
__global__ __launch_bounds__(block_threads) void queue_frontier(const __grid_constant__ SearchView<Parent> view,
                                                                const std::uint32_t* fresh,
                                                                std::uint32_t first_that_pushes, PartTally* tally)
{
  __shared__ LevelTally unused;
  __shared__ std::uint32_t staged[block_warps][staged_per_warp];
  Discoveries<Parent> queue(view, unused, staged[warp_id()], QueueEnd{0, 0, &tally->queued, &tally->queued_longs});
  std::uint64_t const threads = std::uint64_t{gridDim.x} * block_threads;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * block_threads + warp_id() * warp_threads;
  for (std::uint64_t base = first; base < view.words; base += threads) {
    std::uint64_t const w = base + lane_id();
    std::uint32_t bits = w < view.words ? fresh[w] : 0;
    if (w < first_that_pushes / 32) bits = 0;
    if (w == first_that_pushes / 32) bits &= ~0u << (first_that_pushes % 32);
    for_each_slot(base, bits, [&](auto& slots, unsigned mine) { queue_slots(view, slots, mine, queue); });
  }
  queue.finish();
}

}  // namespace brushfire::cuda
