// The kernels of one level of a part. Pushing and pulling inside the part is the code of a device alone; visited bits
// are the only frontier that a level leaves, whoever set them: the part's own lists, a vertex that arrived, the
// delegates that others found, whose bits the exchange joins in place, or who come by rank where they are late.
// gather_frontier makes a queue of what is new.
#pragma once

#include "device/launch.cuh"
#include "traverse/cuda/arrivals.cuh"
#include "traverse/cuda/far_lists.cuh"
#include "traverse/cuda/first_pull.cuh"
#include "traverse/cuda/part_view.cuh"
#include "traverse/cuda/pull.cuh"
#include "traverse/cuda/push.cuh"

#include <cstddef>

namespace brushfire::cuda {

// What a level adds up; the frontier is the one to come.
struct PartTally {
  Count checked;
  Count far;                          // lists and entries of the frontier that lead elsewhere, see FarListsBuilt
  unsigned in_class[source_classes];  // vertices of the frontier
  unsigned never_waited;              // normal vertices among them that were not waiting
  unsigned queued, queued_longs;
  unsigned queue_cut;          // not all are queued: the frontier is wide
  unsigned pieces;             // of this level's long lists
  unsigned found_delegates;    // whether this device found any in the first round
  unsigned late;               // delegates that it found in the second
  unsigned delegates_at_home;  // found by anybody
  unsigned target_reached;
  unsigned claimed;  // vertices that others found
  unsigned blocks_gathered, blocks_dealt, blocks_listed;
};

// Whether this is the last block of a kernel to come here, which then sees what all have written. All threads together.
__device__ inline bool is_last_block(unsigned* arrived)
{
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // for all threads of the block, whose writes it has seen
    last = atomicAdd(arrived, 1u) + 1 == gridDim.x;
    __threadfence();
  }
  __syncthreads();
  return last;
}

// Where the frontier is queued.
struct PartCursor {
  std::int32_t level;
  unsigned queue_begin, queue_count;
  unsigned longs_begin, longs_count;
  std::uint64_t frontier_entries;  // about
  bool just_queued;                // how many they are, the tally says

  __device__ PartCursor counted(const PartTally& tally) const
  {
    PartCursor cursor = *this;
    if (just_queued) {
      cursor.queue_count = tally.queued;
      cursor.longs_count = tally.queued_longs;
    }
    return cursor;
  }
};

// What a warp finds in a part. Its lists are measured when the frontier is gathered, with all that others found.
class PartFindings {
 public:
  // A pull passes over what is not in `asked`, bits by word; null: over nothing. What is found is added to `late`, bits
  // of delegates, unless that is null.
  __device__ PartFindings(const std::uint32_t* asked, std::uint32_t* late) : asked_(asked), late_(late) {}

  __device__ std::uint32_t left_out(std::uint32_t word) const { return asked_ == nullptr ? 0 : ~asked_[word]; }
  __device__ void add_checked(unsigned count) { checked_ += count; }
  __device__ ListLength measure(std::uint32_t) const { return {}; }
  __device__ void add(std::uint32_t slot, ListLength) { add_word(1u << (slot % 32), slot / 32 * 32); }
  __device__ void add_word(std::uint32_t bits, std::uint32_t first)
  {
    if (bits == 0) return;
    any_ = true;
    if (late_ != nullptr) atomicOr(late_ + first / 32, bits);
  }
  template <unsigned count>
  __device__ void enqueue(unsigned, const std::uint32_t (&)[count], const ListLength (&)[count])
  {
  }

  // All threads of the block together: one addition for it, because all blocks add to the same place. If anything was
  // found the host learns of it, where it is `on_host`.
  __device__ void finish(PartTally* tally, PartTally* on_host) const
  {
    __shared__ Count checked;
    if (threadIdx.x == 0) checked = 0;
    __syncthreads();
    Count const of_warp = sum_over_warp(checked_);
    if (lane_id() == 0 && of_warp != 0) atomicAdd(&checked, of_warp);
    bool const any = __syncthreads_or(any_) != 0;
    if (threadIdx.x != 0) return;
    if (checked != 0) atomicAdd(&tally->checked, checked);
    if (any && on_host != nullptr && __ldcg(&tally->found_delegates) == 0 &&
        atomicExch(&tally->found_delegates, 1u) == 0)
      on_host->found_delegates = 1;
  }

 private:
  const std::uint32_t* asked_;
  std::uint32_t* late_;
  Count checked_ = 0;
  bool any_ = false;
};

// Parents are all -1 by now.
template <typename Parent>
__global__ void start_thread_per_word(PartView<Parent> view, std::uint32_t* mine)
{
  device::for_each_item(view.words, [&](std::uint64_t w) {
    view.visited[w] = view.never[w] | (w == view.root / 32 ? 1u << (view.root % 32) : 0);
    view.before[w] = 0;
    if (w < view.normal_base / 32) mine[w] = 0;
    if (w != view.root / 32) return;
    view.settle(view.root, view.vertex_of(view.root), 0);
    if (view.root < view.delegates) mine[w] = 1u << (view.root % 32);
  });
}

template <typename Parent>
__global__ void cut_lists_warp_per_list(PartView<Parent> view, PartCursor cursor, LevelPlan plan, PartTally* tally)
{
  cut_long_lists(view, cursor.counted(*tally), plan, blockIdx.x * warps_of_block() + warp_id(),
                 gridDim.x * warps_of_block(), &tally->pieces);
}

// Where the delegates stand that a device asks for first: those that live there. None: it asks for all of a kind.
struct HomeTiles {
  const std::uint32_t* first_words = nullptr;
  std::uint32_t count = 0;
  const std::uint32_t* bits = nullptr;  // of these delegates, by word
};

// Few words at a time: most delegates of a tile may have lists to be walked.
template <typename View>
__device__ void pull_at_home(const View& view, std::int32_t level, const LevelPlan& plan, const HomeTiles& homes,
                             unsigned warp, unsigned warps, PullMemory& memory, PartFindings& found)
{
  constexpr std::uint32_t words_at_a_time = 4, shares_of_tile = words_of_home_tile / words_at_a_time;
  WarpPull<View, PartFindings, false> pull(view, plan, 0, level + 1, memory, found);
  for (std::uint32_t share = warp; share < homes.count * shares_of_tile; share += warps) {
    std::uint32_t const first = homes.first_words[share / shares_of_tile] + share % shares_of_tile * words_at_a_time;
    pull.run(first, min(first + words_at_a_time, view.normal_base / 32));
  }
  pull.finish();
}

// Targets of one kind; `late` as of PartFindings, `on_host` as of its finish().
template <typename Parent>
__global__ __launch_bounds__(part_shape.threads,
                             part_shape.blocks) void expand_frontier(const __grid_constant__ PartView<Parent> view,
                                                                     PartCursor cursor, LevelPlan plan, HomeTiles homes,
                                                                     std::uint32_t* late, PartTally* tally,
                                                                     PartTally* on_host)
{
  __shared__ PullMemory memory[part_shape.warps()];
  PartFindings found(homes.bits, late);
  unsigned const warp = warp_id() * gridDim.x + blockIdx.x, warps = gridDim.x * part_shape.warps();
  if (plan.pulls && homes.bits != nullptr)
    pull_at_home(view, cursor.level, plan, homes, warp, warps, memory[warp_id()], found);
  else if (plan.pulls)
    pull_waiting(view, cursor.level, plan, warp, warps, memory[warp_id()], found);
  if (plan.pushes) push_frontier(view, cursor.counted(*tally), plan, tally->pieces, warp, warps, found);
  found.finish(tally, on_host);
}

// The first pull of normal vertices by kernels of their own, as a device alone has them (first_pull.cuh). Nobody else
// finds own vertices meanwhile: far targets are dealt before, what arrives is claimed after.
template <typename Parent>
__global__ __launch_bounds__(ask_firsts_shape.threads, blocks_that_fit(ask_firsts_shape)) void ask_firsts_of_part(
    const __grid_constant__ PartView<Parent> view, LevelPlan plan, PartTally* tally)
{
  PartFindings found(nullptr, nullptr);
  PullShare const share = share_of_normals(view, blockIdx.x * warps_of_block() + warp_id());
  FirstNeighbours<PartView<Parent>, PartFindings, true, false>(view, plan.pulled_below[1], share, found).ask();
  found.finish(tally, nullptr);
}

template <typename Parent>
__global__ __launch_bounds__(walk_open_shape.threads, blocks_that_fit(walk_open_shape)) void walk_open_lists_of_part(
    const __grid_constant__ PartView<Parent> view, std::int32_t level, LevelPlan plan, PartTally* tally)
{
  __shared__ PullMemory memory[walk_open_shape.warps()];
  PartFindings found(nullptr, nullptr);
  PullShare const share = share_of_normals(view, blockIdx.x * warps_of_block() + warp_id());
  WarpPull<PartView<Parent>, PartFindings, false> pull(view, plan, 1, level + 1, memory[warp_id()], found);
  std::uint32_t const word = share.first_word + lane_id();
  pull.run_open(share.first_word, word < share.last_word ? view.open[word] : 0);
  pull.finish();
  found.finish(tally, nullptr);
}

// Waiting delegates look for a parent among their normal neighbours alone: the rule of Pan, Pearce and Owens pulls nd
// while dd is still pushed, which the limit of a pull cannot say.
template <typename Parent>
__global__ void pull_normals_warp_per_delegate(PartView<Parent> view, PartTally* tally, PartTally* on_host)
{
  PartFindings found(nullptr, nullptr);
  device::for_each_item(std::uint64_t{view.delegates} * warp_threads, [&](std::uint64_t item) {
    auto const rank = static_cast<std::uint32_t>(item / warp_threads);
    std::uint32_t const bit = 1u << (rank % 32);
    if ((__ldcg(view.visited + rank / 32) & bit) != 0) return;
    EdgeIndex const last = view.in.last(rank);
    for (EdgeIndex base = view.in.split(rank); base < last; base += warp_threads) {
      EdgeIndex const e = base + lane_id();
      std::uint32_t const slot = e < last ? view.normal_base + view.in.targets[e] : no_vertex;
      found.add_checked(e < last);
      bool const hit = e < last && (view.before[slot / 32] >> (slot % 32) & 1) != 0;
      unsigned const hits = __ballot_sync(all_lanes, hit);
      if (hits == 0) continue;
      if (lane_id() == __ffs(hits) - 1) {
        atomicOr(view.visited + rank / 32, bit);
        view.settle(rank, view.vertex_of(slot));
        found.add(rank, {});
      }
      break;
    }
  });
  found.finish(tally, on_host);
}

// A vertex that another device found, and which.
struct Claimed {
  Vertex vertex;
  std::int32_t device;
};

// Those of the vertices that arrived that are new are listed behind `listed` of `claimed`: their parents are asked for
// when the search is over. A block takes 1024 at a time, and one place for all that are new.
inline constexpr unsigned claims_per_thread = 4;
template <typename Parent>
__global__ __launch_bounds__(device::block_threads) void claim_arrived_by_block(
    PartView<Parent> view, const __grid_constant__ Arrivals<Vertex> arrivals, unsigned listed, Claimed* claimed,
    PartTally* tally)
{
  __shared__ unsigned count, place;
  std::uint64_t const total = arrivals.total(), at_a_time = blockDim.x * claims_per_thread;
  for (std::uint64_t base = blockIdx.x * at_a_time; base < total; base += gridDim.x * at_a_time) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    Claimed found[claims_per_thread];
    unsigned asked = 0, fresh = 0;
#pragma unroll
    for (unsigned k = 0; k < claims_per_thread; ++k) {
      std::uint64_t const i = base + k * blockDim.x + threadIdx.x;
      if (i >= total) continue;
      unsigned const piece = arrivals.piece_of(i);
      found[k] = {arrivals.item(piece, i), arrivals.devices[piece]};
      asked |= 1u << k;
    }
#pragma unroll
    for (unsigned k = 0; k < claims_per_thread; ++k) {
      std::uint32_t const slot = view.normal_base + found[k].vertex, bit = 1u << (slot % 32);
      if ((asked >> k & 1) != 0 && (__ldcg(view.visited + slot / 32) & bit) == 0 &&
          (atomicOr(view.visited + slot / 32, bit) & bit) == 0)
        fresh |= 1u << k;
    }
    unsigned const end = sum_up_to_lane(__popc(fresh));
    unsigned at = 0;
    if (lane_id() == warp_threads - 1 && end != 0) at = atomicAdd(&count, end);
    at = __shfl_sync(all_lanes, at, warp_threads - 1) + end - __popc(fresh);
    __syncthreads();
    if (threadIdx.x == 0 && count != 0) place = listed + atomicAdd(&tally->claimed, count);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < claims_per_thread; ++k)
      if ((fresh >> k & 1) != 0) claimed[place + at++] = found[k];
    __syncthreads();  // before the count is cleared
  }
}

// The delegates that this device has found so far in a level, before it learns what others found.
static __global__ void note_mine_thread_per_word(const std::uint32_t* visited, const std::uint32_t* before,
                                                 std::uint64_t words, std::uint32_t* mine)
{
  device::for_each_item(words, [&](std::uint64_t w) {
    if (std::uint32_t const found = __ldcg(visited + w) & ~before[w]; found != 0) mine[w] |= found;
  });
}

// Targets of the frontier's far lists. Own ones are claimed on the spot, the others go to the bins of their devices.
// How many there are of each, the last block tells the host.
template <typename Parent>
__global__ __launch_bounds__(deal_threads) void deal_far_targets(PartView<Parent> view, FarLists lists,
                                                                 std::uint64_t entries, TargetBins bins, int own_device,
                                                                 unsigned* blocks_dealt, Count* counts_on_host)
{
  auto const claim = [&](Vertex v, Vertex parent) {
    std::uint32_t const slot = view.normal_base + v, bit = 1u << (slot % 32);
    if ((__ldcg(view.visited + slot / 32) & bit) != 0) return;
    if ((atomicOr(view.visited + slot / 32, bit) & bit) == 0) view.settle(slot, parent);
  };
  auto const visit = [&](std::uint64_t list, FarVertex target) -> FarVertex {
    if (device_of(target) == own_device) {
      claim(number_of(target), lists.owners[list]);
      return nobody;
    }
    if (bins.sent == nullptr) return target;
    std::uint64_t const place = bins.numbers_before[device_of(target)] + number_of(target);
    std::uint32_t const bit = 1u << (place % 32);
    return (atomicOr(bins.sent + place / 32, bit) & bit) != 0 ? nobody : target;
  };
  auto const store = [&](std::uint64_t, FarVertex target, std::uint64_t place) {
    bins.numbers[place] = number_of(target);
  };
  deal_lists(lists, entries, bins, visit, store);
  if (!is_last_block(blocks_dealt)) return;
  for (unsigned device = threadIdx.x; device < bins.devices; device += blockDim.x)
    counts_on_host[device] = __ldcg(bins.counts + device);
}

}  // namespace brushfire::cuda
