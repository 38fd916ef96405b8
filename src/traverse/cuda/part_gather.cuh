// From visited bits to the next frontier of a part, whoever found it. One pass over the bits counts what is new, lists
// what leads to other devices, and takes the counters to the host. Where little is new it is queued at once; a wide
// frontier is queued by a second pass, if it is pushed at all.
#pragma once

#include "traverse/cuda/part_level.cuh"

#include <cstddef>

namespace brushfire::cuda {

inline constexpr unsigned gather_threads = 256;
inline constexpr unsigned gather_warps = gather_threads / warp_threads;
inline constexpr unsigned queued_at_once = 128;  // at most, of the 4096 bits that a warp looks at

// Each lane looks at this many words of bits side by side: one load.
inline constexpr unsigned words_per_lane = 4;
struct Words {
  std::uint32_t word[words_per_lane];

  __device__ std::uint32_t any() const { return word[0] | word[1] | word[2] | word[3]; }
  __device__ unsigned count() const { return __popc(word[0]) + __popc(word[1]) + __popc(word[2]) + __popc(word[3]); }
};
__device__ inline Words load_words(const std::uint32_t* bits, std::uint64_t first, std::uint64_t words)
{
  Words loaded{};
  if (first + words_per_lane <= words) {
    uint4 const four = __ldcg(reinterpret_cast<const uint4*>(bits + first));
    return {{four.x, four.y, four.z, four.w}};
  }
  for (unsigned j = 0; j < words_per_lane; ++j)
    if (first + j < words) loaded.word[j] = __ldcg(bits + first + j);
  return loaded;
}
__device__ inline void store_words(std::uint32_t* bits, std::uint64_t first, std::uint64_t words, const Words& stored)
{
  if (first + words_per_lane <= words) {
    *reinterpret_cast<uint4*>(bits + first) = {stored.word[0], stored.word[1], stored.word[2], stored.word[3]};
    return;
  }
  for (unsigned j = 0; j < words_per_lane; ++j)
    if (first + j < words) bits[first + j] = stored.word[j];
}

inline constexpr unsigned bits_listed = 1024;  // at a time, by a warp
inline constexpr unsigned places_per_lane = 4;

// Calls visit(places, mine) for the set bits of the words that a warp's lanes hold, counted from the first bit of the
// first lane, four places of a lane at a time: bit j of `mine` says whether places[j] is one. They are listed first, in
// `room`, shared memory of the warp, so that all lanes have some whichever words they are in. All lanes together.
template <typename Visit>
__device__ void for_each_set_bit(const Words& words, std::uint16_t* room, Visit&& visit)
{
  unsigned const total = sum_for_all_lanes(words.count());
  if (total == 0) return;
  bool const at_once = total <= bits_listed;
#pragma unroll 1
  for (unsigned part = 0; part < (at_once ? 1 : words_per_lane); ++part) {
    Words mine_now{};
#pragma unroll
    for (unsigned j = 0; j < words_per_lane; ++j) mine_now.word[j] = at_once || j == part ? words.word[j] : 0;
    unsigned const end = sum_up_to_lane(mine_now.count());
    unsigned const count = __shfl_sync(all_lanes, end, warp_threads - 1);
    unsigned at = end - mine_now.count();
#pragma unroll
    for (unsigned j = 0; j < words_per_lane; ++j)
      for (std::uint32_t bits = mine_now.word[j]; bits != 0; bits &= bits - 1)
        room[at++] = static_cast<std::uint16_t>((lane_id() * words_per_lane + j) * 32 + __ffs(bits) - 1);
    __syncwarp();
    for (unsigned base = 0; base < count; base += places_per_lane * warp_threads) {
      std::uint32_t places[places_per_lane];
      unsigned mine = 0;
#pragma unroll
      for (unsigned j = 0; j < places_per_lane; ++j) {
        unsigned const i = base + j * warp_threads + lane_id();
        places[j] = i < count ? room[i] : 0;
        mine |= static_cast<unsigned>(i < count) << j;
      }
      visit(places, mine);
    }
    __syncwarp();
  }
}

struct GatherMemory {
  unsigned in_class[source_classes];
  unsigned never_waited, at_home;
  std::uint32_t staged[gather_warps][staged_per_warp];
  std::uint16_t listed[gather_warps][bits_listed];
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
__device__ void count_word(const PartView<Parent>& view, const GatherRequest& request, std::uint32_t w,
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

// Takes the tally to the host and clears it for the next level; by one block, when all have added theirs.
__device__ inline void publish(const GatherRequest& request)
{
  auto* const from = reinterpret_cast<unsigned*>(request.tally);
  auto* const to = reinterpret_cast<unsigned*>(request.to_host);
  for (unsigned i = threadIdx.x; i < request.tally_words; i += blockDim.x) {
    if (i < sizeof(PartTally) / sizeof(unsigned)) to[i] = __ldcg(from + i);
    from[i] = 0;
  }
}

// Queues those of the set bits that have lists. All lanes together.
template <typename Parent>
__device__ void queue_bits(const PartView<Parent>& view, std::uint32_t first_slot, const Words& bits,
                           std::uint16_t* room, SlotQueue& queue)
{
  for_each_set_bit(bits, room, [&](std::uint32_t(&slots)[places_per_lane], unsigned mine) {
    ListLength lengths[places_per_lane];
#pragma unroll
    for (unsigned j = 0; j < places_per_lane; ++j) {
      slots[j] += first_slot;
      if ((mine >> j & 1) != 0) lengths[j].all = view.out.length(view.row_of(slots[j]));
    }
#pragma unroll
    for (unsigned j = 0; j < places_per_lane; ++j)
      if (lengths[j].all == 0) mine &= ~(1u << j);
    queue.enqueue(mine, slots, lengths);
  });
}

// Lists the far rows of the set bits, and notes the level for others to ask. All lanes together.
template <typename Parent>
__device__ void list_far_rows(const PartView<Parent>& view, const GatherRequest& request, std::uint32_t first_slot,
                              const Words& bits, std::uint16_t* room)
{
  for_each_set_bit(bits, room, [&](const std::uint32_t(&places)[places_per_lane], unsigned mine) {
    FoundList lists[places_per_lane];
#pragma unroll
    for (unsigned j = 0; j < places_per_lane; ++j) {
      Vertex const v = first_slot + places[j] - view.normal_base;
      if ((mine >> j & 1) != 0) lists[j] = {v, request.far_rows.length(v), request.far_rows.first(v)};
    }
#pragma unroll
    for (unsigned j = 0; j < places_per_lane; ++j)
      if ((mine >> j & 1) != 0) view.levels[lists[j].owner] = request.level;
    add_lists(request.far, &request.tally->far, lists, mine);
  });
}

// What is new in a lane's words, from word `w` on; visited before from now on.
template <typename Parent>
__device__ Words take_fresh(const PartView<Parent>& view, const GatherRequest& request, std::uint64_t w, Words& never)
{
  Words const visited = load_words(view.visited, w, view.words);
  never = load_words(view.never, w, view.words);
  Words before = load_words(view.before, w, view.words);
  Words fresh;
#pragma unroll
  for (unsigned j = 0; j < words_per_lane; ++j) {
    std::uint32_t const root = w + j == view.root / 32 ? 1u << (view.root % 32) : 0;
    fresh.word[j] = ((visited.word[j] & ~never.word[j]) | root) & ~before.word[j];
    before.word[j] |= fresh.word[j];
  }
  store_words(request.fresh, w, view.words, fresh);
  if (fresh.any() != 0) store_words(view.before, w, view.words, before);
  return fresh;
}

// Counts what is new in the words of a warp, the first of which is number `base`. All lanes together.
template <typename Parent>
__device__ void count_fresh(const PartView<Parent>& view, const GatherRequest& request, std::uint64_t base,
                            const Words& fresh, const Words& never, unsigned total, GatherMemory& block)
{
  std::uint64_t const w = base + lane_id() * words_per_lane;
  if (base >= view.normal_base / 32) {
    if (lane_id() == 0) atomicAdd(&block.in_class[normal_class], total);
    unsigned never_waited = 0;
#pragma unroll
    for (unsigned j = 0; j < words_per_lane; ++j) never_waited += __popc(fresh.word[j] & never.word[j]);
    if (never_waited != 0) atomicAdd(&block.never_waited, never_waited);
  } else {
#pragma unroll
    for (unsigned j = 0; j < words_per_lane; ++j)
      if (fresh.word[j] != 0)
        count_word(view, request, static_cast<std::uint32_t>(w + j), fresh.word[j], never.word[j], block);
  }
#pragma unroll
  for (unsigned j = 0; j < words_per_lane; ++j)
    if (view.target / 32 == w + j && (fresh.word[j] >> (view.target % 32) & 1) != 0) request.tally->target_reached = 1;
}

// A warp takes 128 words of bits at a time. All threads of a block together.
template <typename Parent>
__global__ __launch_bounds__(gather_threads) void gather_frontier(const __grid_constant__ PartView<Parent> view,
                                                                  const __grid_constant__ GatherRequest request)
{
  __shared__ GatherMemory block;
  auto* const cleared = reinterpret_cast<unsigned*>(&block);
  for (unsigned i = threadIdx.x; i < offsetof(GatherMemory, staged) / sizeof(unsigned); i += gather_threads)
    cleared[i] = 0;
  __syncthreads();
  PartTally& tally = *request.tally;
  SlotQueue queue(view.queue, view.longs, block.staged[warp_id()], QueueEnd{0, 0, &tally.queued, &tally.queued_longs});
  std::uint16_t* const room = block.listed[warp_id()];
  std::uint64_t const stride = std::uint64_t{gridDim.x} * gather_threads * words_per_lane;
  std::uint64_t const first = (std::uint64_t{blockIdx.x} * gather_threads + warp_id() * warp_threads) * words_per_lane;
  for (std::uint64_t base = first; base < view.words; base += stride) {
    std::uint64_t const w = base + lane_id() * words_per_lane;
    Words never;
    Words const fresh = take_fresh(view, request, w, never);
    unsigned const count = sum_for_all_lanes(fresh.count());
    if (count == 0) continue;
    count_fresh(view, request, base, fresh, never, count, block);
    auto const first_slot = static_cast<std::uint32_t>(base * 32);
    if (count <= queued_at_once)
      queue_bits(view, first_slot, fresh, room, queue);
    else if (lane_id() == 0)
      tally.queue_cut = 1;
    if (request.all_levels)
      for_each_set_bit(fresh, room, [&](const std::uint32_t(&places)[places_per_lane], unsigned mine) {
        for (unsigned j = 0; j < places_per_lane; ++j)
          if ((mine >> j & 1) != 0) view.levels[view.vertex_of(first_slot + places[j])] = request.level;
      });
    Words far{};
    if (fresh.any() != 0) far = load_words(request.leads_far, w, view.words);
#pragma unroll
    for (unsigned j = 0; j < words_per_lane; ++j) far.word[j] &= fresh.word[j];
    list_far_rows(view, request, first_slot, far, room);
  }
  queue.flush();
  __syncthreads();
  add_gathered(block, tally);
  if (is_last_block(&tally.blocks_gathered)) publish(request);
}

// The frontier that a wide level left in `fresh`, as far as it pushes.
template <typename Parent>
__global__ __launch_bounds__(gather_threads) void queue_frontier(const __grid_constant__ PartView<Parent> view,
                                                                 const std::uint32_t* fresh,
                                                                 std::uint32_t first_that_pushes, PartTally* tally)
{
  __shared__ std::uint32_t staged[gather_warps][staged_per_warp];
  __shared__ std::uint16_t listed[gather_warps][bits_listed];
  SlotQueue queue(view.queue, view.longs, staged[warp_id()], QueueEnd{0, 0, &tally->queued, &tally->queued_longs});
  std::uint64_t const stride = std::uint64_t{gridDim.x} * gather_threads * words_per_lane;
  std::uint64_t const first = (std::uint64_t{blockIdx.x} * gather_threads + warp_id() * warp_threads) * words_per_lane;
  for (std::uint64_t base = first; base < view.words; base += stride) {
    std::uint64_t const w = base + lane_id() * words_per_lane;
    Words bits = load_words(fresh, w, view.words);
#pragma unroll
    for (unsigned j = 0; j < words_per_lane; ++j) {
      if (w + j < first_that_pushes / 32) bits.word[j] = 0;
      if (w + j == first_that_pushes / 32) bits.word[j] &= ~0u << (first_that_pushes % 32);
    }
    queue_bits(view, static_cast<std::uint32_t>(base * 32), bits, listed[warp_id()], queue);
  }
  queue.flush();
}

}  // namespace brushfire::cuda
