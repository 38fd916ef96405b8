// The kernels of one level of a part. Pushing and pulling inside the part is the code of a device alone; visited bits
// are the only frontier that a level leaves, whoever set them: the part's own lists, a vertex that arrived, the
// delegates that others found, whose bits the exchange joins in place. gather_frontier makes a queue of what is new.
#pragma once

#include "device/launch.cuh"
#include "traverse/cuda/far_lists.cuh"
#include "traverse/cuda/pull.cuh"
#include "traverse/cuda/push.cuh"

#include <cstddef>

namespace brushfire::cuda {

// Until the search is over, a vertex that another device found has that device for a parent.
template <typename Parent>
constexpr __host__ __device__ Parent found_by(int device)
{
  return static_cast<Parent>(no_label - 1 - device);
}
constexpr __host__ __device__ bool is_finder(Label parent) { return parent < no_label; }
constexpr __host__ __device__ int finder_of(Label parent) { return static_cast<int>(no_label - 1 - parent); }

// What a level adds up; the frontier is the one to come.
struct PartTally {
  Count checked;
  Count entries[2][source_classes];  // of the frontier, to delegates and to normals
  Count far;                         // lists and entries of the frontier that lead elsewhere, see FarListsBuilt
  unsigned left_waiting[2];          // delegates, normals: of the frontier, those that were waiting
  unsigned frontier[2];              // and all of them
  unsigned queued, queued_longs;
  unsigned pieces;             // of this level's long lists
  unsigned found_delegates;    // whether this device found any
  unsigned delegates_at_home;  // found by anybody
  unsigned target_reached;
  unsigned claimed;  // vertices that others found
  unsigned blocks_done;
};

// What a warp finds in a part. Its lists are measured when the frontier is gathered, with all that others found.
class PartFindings {
 public:
  __device__ void add_checked(unsigned count) { checked_ += count; }
  __device__ ListLength measure(std::uint32_t) const { return {}; }
  __device__ void add(std::uint32_t, ListLength) { any_ = true; }
  __device__ void add_word(std::uint32_t bits, std::uint32_t) { any_ |= bits != 0; }
  template <unsigned count>
  __device__ void enqueue(unsigned, const std::uint32_t (&)[count], const ListLength (&)[count])
  {
  }

  // All lanes together.
  __device__ void finish(PartTally* tally, bool of_delegates) const
  {
    Count const checked = sum_over_warp(checked_);
    bool const any = __any_sync(all_lanes, any_);
    if (lane_id() != 0) return;
    if (checked != 0) atomicAdd(&tally->checked, checked);
    if (any && of_delegates && __ldcg(&tally->found_delegates) == 0) tally->found_delegates = 1;
  }

 private:
  Count checked_ = 0;
  bool any_ = false;
};

// Parents are all -1 by now.
template <typename Parent>
__global__ void start_thread_per_word(SearchView<Parent> view)
{
  device::for_each_item(view.words, [&](std::uint64_t w) {
    view.visited[w] = view.never[w] | (w == view.root / 32 ? 1u << (view.root % 32) : 0);
    view.before[w] = 0;
    if (w == view.root / 32) view.settle(view.root, view.vertex_of(view.root), 0);
  });
}

template <typename Parent>
__global__ void cut_lists_warp_per_list(SearchView<Parent> view, const __grid_constant__ Cursor cursor, LevelPlan plan,
                                        PartTally* tally)
{
  unsigned const warps_of_block = blockDim.x / warp_threads;
  cut_long_lists(view, cursor, plan, blockIdx.x * warps_of_block + warp_id(), gridDim.x * warps_of_block,
                 &tally->pieces);
}

// Targets of one kind.
template <typename Parent>
__global__ __launch_bounds__(block_threads, blocks_per_multiprocessor) void expand_frontier(
    const __grid_constant__ SearchView<Parent> view, const __grid_constant__ Cursor cursor, LevelPlan plan,
    bool to_delegates, PartTally* tally)
{
  __shared__ std::uint32_t pending[block_warps][most_pending];
  PartFindings found;
  unsigned const warp = warp_id() * gridDim.x + blockIdx.x, warps = gridDim.x * block_warps;
  if (plan.pulls) pull_waiting(view, cursor, plan, warp, warps, pending[warp_id()], found);
  if (plan.pushes) push_frontier(view, cursor, plan, tally->pieces, warp, warps, found);
  found.finish(tally, to_delegates);
}

// Waiting delegates look for a parent among their normal neighbours alone: the rule of Pan, Pearce and Owens pulls nd
// while dd is still pushed, which the limit of a pull cannot say.
template <typename Parent>
__global__ void pull_normals_warp_per_delegate(SearchView<Parent> view, std::int32_t level, PartTally* tally)
{
  PartFindings found;
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
        view.settle(rank, view.vertex_of(slot), level);
        found.add(rank, {});
      }
      break;
    }
  });
  found.finish(tally, true);
}

// Vertices that other devices found, from several of them at once.
inline constexpr unsigned arrivals_at_a_time = 64;
struct Arrivals {
  const Vertex* numbers[arrivals_at_a_time];
  std::uint64_t ends[arrivals_at_a_time];  // sums of their counts
  int devices[arrivals_at_a_time];
  unsigned count;

  __host__ __device__ std::uint64_t total() const { return count == 0 ? 0 : ends[count - 1]; }
};

// Those that were new are listed behind `listed` of `claimed`: their parents are asked for when the search is over.
template <typename Parent>
__global__ void claim_arrived_warp_per_32(SearchView<Parent> view, const __grid_constant__ Arrivals arrivals,
                                          unsigned listed, Vertex* claimed, PartTally* tally)
{
  std::uint64_t const total = arrivals.total(), stride = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t const first = std::uint64_t{blockIdx.x} * blockDim.x + warp_id() * warp_threads;
  for (std::uint64_t base = first; base < total; base += stride) {
    std::uint64_t const i = base + lane_id();
    bool fresh = false;
    Vertex v = 0;
    if (i < total) {
      unsigned from = 0;
      while (arrivals.ends[from] <= i) ++from;
      v = arrivals.numbers[from][i - (from == 0 ? 0 : arrivals.ends[from - 1])];
      std::uint32_t const slot = view.normal_base + v, bit = 1u << (slot % 32);
      fresh = (__ldcg(view.visited + slot / 32) & bit) == 0 && (atomicOr(view.visited + slot / 32, bit) & bit) == 0;
      if (fresh) view.parents[v] = found_by<Parent>(arrivals.devices[from]);
    }
    unsigned const all = __ballot_sync(all_lanes, fresh);
    unsigned place = 0;
    if (lane_id() == 0 && all != 0) place = listed + atomicAdd(&tally->claimed, __popc(all));
    place = __shfl_sync(all_lanes, place, 0) + __popc(all & lanes_below());
    if (fresh) claimed[place] = v;
  }
}

// Targets of the frontier's far lists. Own ones are claimed on the spot, the others go to the bins of their devices;
// with `sent`, one bit per vertex from numbers_before[device] on, none goes twice.
template <typename Parent>
__global__ __launch_bounds__(deal_threads) void deal_far_targets(SearchView<Parent> view, FarLists lists,
                                                                 std::uint64_t entries, BinsView bins, int own_device,
                                                                 std::int32_t level, std::uint32_t* sent,
                                                                 const std::uint64_t* numbers_before, Vertex* numbers)
{
  auto const claim = [&](Vertex v, Vertex parent) {
    std::uint32_t const slot = view.normal_base + v, bit = 1u << (slot % 32);
    if ((__ldcg(view.visited + slot / 32) & bit) != 0) return;
    if ((atomicOr(view.visited + slot / 32, bit) & bit) == 0) view.settle(slot, parent, level);
  };
  auto const visit = [&](std::uint64_t list, FarVertex target) -> FarVertex {
    if (device_of(target) == own_device) {
      claim(number_of(target), lists.owners[list]);
      return nobody;
    }
    if (sent == nullptr) return target;
    std::uint64_t const place = numbers_before[device_of(target)] + number_of(target);
    std::uint32_t const bit = 1u << (place % 32);
    return (atomicOr(sent + place / 32, bit) & bit) != 0 ? nobody : target;
  };
  auto const store = [&](std::uint64_t, FarVertex target, std::uint64_t place) { numbers[place] = number_of(target); };
  deal_lists(lists, entries, bins, visit, store);
}

}  // namespace brushfire::cuda
