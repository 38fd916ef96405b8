// From visited bits to the next frontier of a part: what is new since the last level is queued, its lists are measured
// and its level is noted, whoever found it. One pass over the bits; the counters go to the host with it.
#pragma once

#include "traverse/cuda/part_level.cuh"

#include <cstddef>

namespace brushfire::cuda {

// The frontier's entries by class, in a warp: slots come in runs of one class, of which each lane adds up its share.
class ClassSums {
 public:
  __device__ explicit ClassSums(Count (&sums)[2][source_classes]) : sums_(sums) {}

  // The same class for all lanes.
  __device__ void add(unsigned its_class, std::uint32_t to_delegates, std::uint32_t to_normals)
  {
    if (its_class != class_) flush();
    class_ = its_class;
    own_[0] += to_delegates;
    own_[1] += to_normals;
  }
  __device__ void flush()
  {
    for (unsigned kind = 0; kind < 2; ++kind) {
      Count const sum = sum_over_warp(own_[kind]);
      if (lane_id() == 0 && sum != 0) atomicAdd(&sums_[kind][class_], sum);
      own_[kind] = 0;
    }
  }

 private:
  Count (&sums_)[2][source_classes];  // shared memory of the block
  Count own_[2] = {0, 0};
  unsigned class_ = 0;
};

struct GatherMemory {
  LevelTally unused;
  Count entries[2][source_classes];
  unsigned left_waiting[2], frontier[2], at_home;
  bool is_last;  // of all blocks
  std::uint32_t staged[block_warps][staged_per_warp];
  StagedList far_lists[block_warps][lists_staged_per_warp];
};

// What gathering needs beside the view.
struct GatherRequest {
  FarRowsView far_rows;
  FarListsBuilt far;
  const std::uint32_t* home_bits;  // delegates that live here
  std::int32_t level;              // of what is gathered
  bool all_levels;                 // are noted; else only those that other devices may ask for
  PartTally* tally;
  std::uint32_t tally_words;  // with the counts of bins behind it
  PartTally* to_host;
};

// Adds a block's counts to those of the level.
__device__ inline void add_gathered(const GatherMemory& block, PartTally& tally)
{
  auto const add = [](auto& sum, auto value) {
    if (value != 0) atomicAdd(&sum, value);
  };
  for (unsigned i = threadIdx.x; i < 2 * source_classes; i += blockDim.x)
    add(tally.entries[i / source_classes][i % source_classes], block.entries[i / source_classes][i % source_classes]);
  if (threadIdx.x == 0) add(tally.delegates_at_home, block.at_home);
  if (threadIdx.x >= 2) return;
  add(tally.left_waiting[threadIdx.x], block.left_waiting[threadIdx.x]);
  add(tally.frontier[threadIdx.x], block.frontier[threadIdx.x]);
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

// A warp takes 32 words of bits at a time, and four of those that have something new. All threads of a block together.
template <typename Parent>
__global__ __launch_bounds__(block_threads) void gather_frontier(const __grid_constant__ SearchView<Parent> view,
                                                                 const __grid_constant__ GatherRequest request)
{
  constexpr unsigned words_at_a_time = 4;
  __shared__ GatherMemory block;
  auto* const cleared = reinterpret_cast<unsigned*>(&block);
  for (unsigned i = threadIdx.x; i < offsetof(GatherMemory, staged) / sizeof(unsigned); i += block_threads)
    cleared[i] = 0;
  __syncthreads();
  PartTally& tally = *request.tally;
  Discoveries<Parent> queue(view, block.unused, block.staged[warp_id()],
                            QueueEnd{0, 0, &tally.queued, &tally.queued_longs});
  ListWriter far_lists(request.far, &tally.far, block.far_lists[warp_id()]);
  ClassSums sums(block.entries);
  std::uint64_t const threads = std::uint64_t{gridDim.x} * block_threads;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * block_threads + warp_id() * warp_threads;
  std::uint32_t const delegate_words = view.normal_base / 32;
  for (std::uint64_t base = first; base < view.words; base += threads) {
    std::uint64_t const w = base + lane_id();
    std::uint32_t fresh = 0;
    if (w < view.words) {
      std::uint32_t const never = view.never[w];
      std::uint32_t const reached =
          (__ldcg(view.visited + w) & ~never) | (w == view.root / 32 ? 1u << (view.root % 32) : 0);
      fresh = reached & ~view.before[w];
      if (fresh != 0) {
        view.before[w] = reached;
        unsigned const kind = w < delegate_words ? 0 : 1;
        atomicAdd(&block.left_waiting[kind], __popc(fresh & ~never));
        atomicAdd(&block.frontier[kind], __popc(fresh));
        if (kind == 0) atomicAdd(&block.at_home, __popc(fresh & request.home_bits[w]));
      }
    }
    for (unsigned words = __ballot_sync(all_lanes, fresh != 0); words != 0;) {
      std::uint32_t slots[words_at_a_time], far_lengths[words_at_a_time];
      ListLength lengths[words_at_a_time];
      unsigned wanted = 0, queued = 0;
      unsigned const present = __popc(words);
#pragma unroll
      for (unsigned j = 0; j < words_at_a_time; ++j) {
        slots[j] = 0;
        if (j >= present) continue;
        unsigned const k = __ffs(words) - 1;
        words &= words - 1;
        slots[j] = static_cast<std::uint32_t>((base + k) * 32 + lane_id());
        wanted |= (__shfl_sync(all_lanes, fresh, k) >> lane_id() & 1) << j;
      }
#pragma unroll
      for (unsigned j = 0; j < words_at_a_time; ++j) {
        far_lengths[j] = 0;
        if ((wanted >> j & 1) == 0) continue;
        std::uint32_t const row = view.row_of(slots[j]);
        lengths[j].all = view.out.length(row);
        // Lists of normal vertices hold delegates only.
        lengths[j].to_delegates = slots[j] < view.delegates ? view.out.delegate_length(row) : lengths[j].all;
        if (slots[j] >= view.normal_base) far_lengths[j] = request.far_rows.length(slots[j] - view.normal_base);
      }
#pragma unroll
      for (unsigned j = 0; j < words_at_a_time; ++j) {
        if (j >= present) continue;
        bool const mine = (wanted >> j & 1) != 0;
        if (mine && slots[j] == view.target) tally.target_reached = 1;
        if (mine && lengths[j].all != 0) queued |= 1u << j;
        bool const delegates = slots[j] < view.normal_base;
        if (mine && (request.all_levels || far_lengths[j] != 0))
          view.levels[delegates ? view.vertices + slots[j] : slots[j] - view.normal_base] = request.level;
        std::uint32_t const first_slot = slots[j] - lane_id();
        if (first_slot == 0 && delegates) {  // classes of one, two, four ranks
          if (mine) atomicAdd(&block.entries[0][view.class_of(slots[j])], Count{lengths[j].to_delegates});
          if (mine)
            atomicAdd(&block.entries[1][view.class_of(slots[j])], Count{lengths[j].all - lengths[j].to_delegates});
        } else {
          sums.add(delegates ? view.class_of(first_slot) : normal_class, lengths[j].to_delegates,
                   lengths[j].all - lengths[j].to_delegates);
        }
        far_lists.add(far_lengths[j] != 0, slots[j] - view.normal_base, far_lengths[j], request.far_rows);
      }
      queue.enqueue(queued, slots, lengths);
    }
  }
  queue.finish();
  far_lists.flush();
  sums.flush();
  __syncthreads();
  add_gathered(block, tally);
  publish(request, block.is_last);
}

}  // namespace brushfire::cuda
