// Pull: every waiting vertex looks for a parent among the sources below the limit. A block takes some words of visited
// bits. First all its waiting vertices ask their first neighbour, from an array where neighbours stand side by
// side: on skewed graphs that settles most. The others are listed, so that full warps walk their lists, four
// entries a load; what is still open after a while is walked by whole warps.
#pragma once

#include "traverse/cuda/discoveries.cuh"

namespace brushfire::cuda {

constexpr unsigned words_per_warp = 4;
constexpr unsigned words_per_block = words_per_warp * block_warps;
constexpr unsigned slots_per_block = 32 * words_per_block;
constexpr unsigned loads_alone = 16;     // of four entries, before a warp takes over
constexpr unsigned most_handed_over = 512;  // per block; beyond it threads go on alone

// Shared memory of one block.
struct PullScratch {
  std::uint32_t found[words_per_block];
  std::uint16_t pending[slots_per_block];  // slots, counted from the block's first
  std::uint16_t handed_over[most_handed_over];
  unsigned pending_count, handed_over_count;
  unsigned block;
};

__device__ inline bool was_visited(const std::uint32_t* before, std::uint32_t slot)
{
  return (before[slot / 32] >> (slot % 32) & 1) != 0;
}

// The entries of a list that a pull may look at.
struct PulledList {
  EdgeIndex next;   // not looked at yet
  EdgeIndex split;  // entries before it are delegates
  EdgeIndex last;
  std::uint32_t below;  // sources from here on are pushed
};

template <typename Parent>
__device__ PulledList pulled_list(const SearchView<Parent>& view, std::uint32_t slot, std::uint32_t below)
{
  EdgeIndex const start = view.in.first(slot);
  EdgeIndex const split = start + view.in.delegate_length(slot);
  EdgeIndex const last = below > view.delegates ? start + view.in.length(slot) : split;
  return {start + 1, split, last, below};  // the first was asked already
}

// The slot of a parent in a group of four entries, no_vertex without one. Sets `passed` when the list is over.
template <typename Parent>
__device__ std::uint32_t find_in_four(const SearchView<Parent>& view, const PulledList& list, bool& passed,
                                      unsigned& checked)
{
  EdgeIndex const aligned = list.next & ~EdgeIndex{3};
  Vertex four[4];
  if (aligned + 4 <= view.entries_in) {
    uint4 const loaded = *reinterpret_cast<const uint4*>(view.in.targets + aligned);
    four[0] = loaded.x, four[1] = loaded.y, four[2] = loaded.z, four[3] = loaded.w;
  } else {
    for (unsigned i = 0; i < 4; ++i) four[i] = aligned + i < view.entries_in ? view.in.targets[aligned + i] : 0;
  }
  std::uint32_t parent = no_vertex;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) {
    EdgeIndex const entry = aligned + i;
    if (entry < list.next || parent != no_vertex || passed) continue;
    std::uint32_t const source = four[i] + (entry < list.split ? 0 : view.delegates);
    if (entry >= list.last || source >= list.below) {
      passed = true;
    } else {
      ++checked;
      if (was_visited(view.before, source)) parent = source;
    }
  }
  return parent;
}

template <typename Parent>
class PullBlock {
 public:
  __device__ PullBlock(const SearchView<Parent>& view, const LevelPlan& plan, std::int32_t level, PullScratch& scratch,
                       std::uint32_t first_word)
      : view_(view), plan_(plan), level_(level), scratch_(scratch), first_word_(first_word)
  {
  }

  // Called by all threads of the block. `checked` is this thread's count.
  __device__ void run(Discoveries<Parent>& found)
  {
    unsigned checked = 0;
    if (threadIdx.x == 0) scratch_.pending_count = scratch_.handed_over_count = 0;
    __syncthreads();
    ask_first_neighbours(checked);
    __syncthreads();
    walk_lists_thread_per_vertex(checked);
    __syncthreads();
    walk_lists_warp_per_vertex(checked);
    found.add_checked(checked);
    __syncthreads();
    claim_found(found);
    __syncthreads();
  }

 private:
  __device__ std::uint32_t slot_of(unsigned offset) const { return first_word_ * 32 + offset; }
  __device__ std::uint32_t below(std::uint32_t slot) const { return plan_.pulled_below[slot < view_.delegates ? 0 : 1]; }

  __device__ void settle(unsigned offset, std::uint32_t parent)
  {
    view_.settle(slot_of(offset), parent, level_);
    atomicOr(&scratch_.found[offset / 32], 1u << (offset % 32));
  }

  __device__ void ask_first_neighbours(unsigned& checked)
  {
    unsigned const word = warp_id() * words_per_warp;
    std::uint32_t firsts[words_per_warp];
#pragma unroll
    for (unsigned k = 0; k < words_per_warp; ++k) {
      std::uint32_t const index = first_word_ + word + k;
      std::uint32_t const visited = index < view_.words ? __ldcg(view_.visited + index) : ~0u;
      std::uint32_t const slot = slot_of((word + k) * 32 + lane_id());
      firsts[k] = no_vertex;
      // Streamed past the L1 cache, which is for the bits.
      if ((visited >> lane_id() & 1) == 0) firsts[k] = __ldcs(view_.firsts + slot);
      if (firsts[k] >= below(slot)) firsts[k] = no_vertex;
    }
#pragma unroll
    for (unsigned k = 0; k < words_per_warp; ++k) {
      bool const asked = firsts[k] != no_vertex;
      bool const hit = asked && was_visited(view_.before, firsts[k]);
      unsigned const offset = (word + k) * 32 + lane_id();
      if (hit) view_.settle(slot_of(offset), firsts[k], level_);
      checked += asked;
      unsigned const hits = __ballot_sync(all_lanes, hit);
      unsigned const open = __ballot_sync(all_lanes, asked && !hit);
      unsigned at = 0;
      if (lane_id() == 0) {
        scratch_.found[word + k] = hits;  // this warp's word; nobody else writes it before the next barrier
        if (open != 0) at = atomicAdd(&scratch_.pending_count, __popc(open));
      }
      at = __shfl_sync(all_lanes, at, 0);
      if (asked && !hit) scratch_.pending[at + __popc(open & lanes_below())] = static_cast<std::uint16_t>(offset);
    }
  }

  __device__ void walk_lists_thread_per_vertex(unsigned& checked)
  {
    for (unsigned i = threadIdx.x; i < scratch_.pending_count; i += block_threads) {
      unsigned const offset = scratch_.pending[i];
      PulledList list = pulled_list(view_, slot_of(offset), below(slot_of(offset)));
      bool passed = list.next >= list.last;
      for (unsigned loads = 0; !passed; ++loads) {
        if (loads == loads_alone && hand_over(offset)) break;
        std::uint32_t const parent = find_in_four(view_, list, passed, checked);
        if (parent != no_vertex) {
          settle(offset, parent);
          break;
        }
        list.next = (list.next & ~EdgeIndex{3}) + 4;
        passed |= list.next >= list.last;
      }
    }
  }

  __device__ bool hand_over(unsigned offset)
  {
    unsigned const at = atomicAdd(&scratch_.handed_over_count, 1);
    if (at >= most_handed_over) return false;
    scratch_.handed_over[at] = static_cast<std::uint16_t>(offset);
    return true;
  }

  __device__ void walk_lists_warp_per_vertex(unsigned& checked)
  {
    unsigned const count = min(scratch_.handed_over_count, most_handed_over);
    for (unsigned i = warp_id(); i < count; i += block_warps) {
      unsigned const offset = scratch_.handed_over[i];
      PulledList list = pulled_list(view_, slot_of(offset), below(slot_of(offset)));
      list.next = (list.next & ~EdgeIndex{3}) + 4 * loads_alone;
      for (EdgeIndex base = list.next; base < list.last; base += warp_threads) {
        EdgeIndex const entry = base + lane_id();
        std::uint32_t source = no_vertex;
        if (entry < list.last) source = view_.in.targets[entry] + (entry < list.split ? 0 : view_.delegates);
        bool const asked = source < list.below && source != no_vertex;
        bool const hit = asked && was_visited(view_.before, source);
        checked += asked;
        unsigned const hits = __ballot_sync(all_lanes, hit);
        if (hits != 0) {
          if (lane_id() == __ffs(hits) - 1) settle(offset, source);
          break;
        }
        if (__ballot_sync(all_lanes, !asked) != 0) break;  // past the limit: sources rise within a list
      }
    }
  }

  // A vertex may have been claimed by a push in the meantime: both parents are right, and it is counted once.
  __device__ void claim_found(Discoveries<Parent>& found)
  {
    for (unsigned k = 0; k < words_per_warp; ++k) {
      unsigned const word = warp_id() * words_per_warp + k;
      std::uint32_t const bits = scratch_.found[word];
      if (bits == 0) continue;  // the same for the whole warp
      std::uint32_t fresh = 0;
      if (lane_id() == 0) fresh = bits & ~atomicOr(view_.visited + first_word_ + word, bits);
      fresh = __shfl_sync(all_lanes, fresh, 0);
      found.add((fresh >> lane_id() & 1) != 0, slot_of(word * 32 + lane_id()));
    }
  }

  const SearchView<Parent>& view_;
  const LevelPlan& plan_;
  std::int32_t level_;
  PullScratch& scratch_;
  std::uint32_t first_word_;
};

// This block's share of the level: blocks of words, handed out one by one.
template <typename Parent>
__device__ void pull_waiting(const SearchView<Parent>& view, const Cursor& cursor, const LevelPlan& plan,
                             LevelTally& tally, PullScratch& scratch, Discoveries<Parent>& found)
{
  // Words whose targets are all pushed are not looked at.
  std::uint32_t const first = plan.limits[0] != 0 ? 0 : view.delegates / 32;
  std::uint32_t const last = plan.limits[1] != 0 ? view.words : (view.delegates + 31) / 32;
  for (;;) {
    if (threadIdx.x == 0) scratch.block = atomicAdd(&tally.pull_blocks, 1);
    __syncthreads();
    std::uint64_t const word = first + std::uint64_t{scratch.block} * words_per_block;
    if (word >= last) return;
    PullBlock<Parent>(view, plan, cursor.level + 1, scratch, static_cast<std::uint32_t>(word)).run(found);
  }
}

}  // namespace brushfire::cuda
