// Pull: every waiting vertex looks for a parent among the sources below the limit. A warp takes 32 words of visited
// bits at a time and works by itself, so that none waits for another. First the waiting vertices ask their first
// neighbour, from an array where neighbours stand side by side: on skewed graphs that settles most. The others are
// listed until there are enough to keep all lanes busy; then lanes walk their lists, four entries a load, and take the
// next vertex as soon as they are done with one. What is still open after a while is walked by the whole warp.
#pragma once

#include "traverse/cuda/discoveries.cuh"

namespace brushfire::cuda {

constexpr unsigned words_in_flight = 8;  // first neighbours a lane waits for at the same time
constexpr unsigned most_pending = 512;   // per warp
constexpr unsigned loads_alone = 16;     // of four entries, before the warp takes over

// Shared memory of one warp.
struct PullScratch {
  std::uint32_t pending[most_pending];  // slots
};

__device__ inline bool was_visited(const std::uint32_t* before, std::uint32_t slot)
{
  return (before[slot / 32] >> (slot % 32) & 1) != 0;
}

// The entries of a list that a pull may look at.
struct PulledList {
  EdgeIndex next = 0;   // not looked at yet
  EdgeIndex split = 0;  // entries before it are delegates
  EdgeIndex last = 0;
};

template <typename Parent>
class WarpPull {
 public:
  __device__ WarpPull(const SearchView<Parent>& view, const LevelPlan& plan, std::int32_t level, PullScratch& scratch)
      : view_(view), plan_(plan), scratch_(scratch), level_(level)
  {
  }

  // 32 words from `first_word` on; all lanes together.
  __device__ void run(std::uint32_t first_word, Discoveries<Parent>& found)
  {
    std::uint32_t const word = first_word + lane_id();
    bool const exists = word < view_.words;
    std::uint32_t const visited = exists ? __ldcg(view_.visited + word) : ~0u;
    // Words to look at: those with waiting vertices, and where parents are cleared all of them.
    std::uint32_t const unreached_bits = plan_.clears && exists ? ~visited | view_.never[word] : ~visited;
    found_ = 0;
    for (unsigned words = __ballot_sync(all_lanes, unreached_bits != 0); words != 0;) {
      if (pending_ > most_pending - words_in_flight * 32) walk_lists(found);
      ask_first_neighbours(first_word * 32, words, visited, unreached_bits);
    }
    // A vertex may have been claimed by a push in the meantime: both parents are right, and it is counted once.
    if (found_ != 0) found.add_word(found_ & ~atomicOr(view_.visited + word, found_), word * 32);
  }

  // After the last words.
  __device__ void finish(Discoveries<Parent>& found)
  {
    walk_lists(found);
    found.add_checked(checked_);
  }

 private:
  // Sources from here on are pushed.
  __device__ std::uint32_t below(std::uint32_t slot) const { return plan_.pulled_below[slot < view_.delegates ? 0 : 1]; }

  // Takes up to words_in_flight of the `words`.
  __device__ void ask_first_neighbours(std::uint32_t first_slot, unsigned& words, std::uint32_t visited,
                                       std::uint32_t unreached_bits)
  {
    std::uint32_t firsts[words_in_flight], slots[words_in_flight];
    bool clears[words_in_flight];
#pragma unroll
    for (unsigned k = 0; k < words_in_flight; ++k) {
      bool const any = words != 0;
      unsigned const word = any ? __ffs(words) - 1 : 0;
      words &= words - 1;
      bool const waits = (__shfl_sync(all_lanes, visited, word) >> lane_id() & 1) == 0;
      slots[k] = first_slot + word * 32 + lane_id();
      clears[k] = any && plan_.clears && (__shfl_sync(all_lanes, unreached_bits, word) >> lane_id() & 1) != 0 &&
                  slots[k] >= view_.delegates && slots[k] < view_.slots;
      // Streamed past the L1 cache, which is for the bits.
      firsts[k] = any && waits ? __ldcs(view_.firsts + slots[k]) : no_vertex;
      if (firsts[k] >= below(slots[k])) firsts[k] = no_vertex;
    }
#pragma unroll
    for (unsigned k = 0; k < words_in_flight; ++k) {
      bool const asked = firsts[k] != no_vertex;
      bool const hit = asked && was_visited(view_.before, firsts[k]);
      if (hit)
        view_.settle(slots[k], firsts[k], level_);
      else if (clears[k])
        view_.parents[slots[k] - view_.delegates] = static_cast<Parent>(no_label);
      checked_ += asked;
      unsigned const hits = __ballot_sync(all_lanes, hit);
      unsigned const open = __ballot_sync(all_lanes, asked && !hit);
      if ((slots[k] - first_slot) / 32 == lane_id()) found_ |= hits;
      if (asked && !hit) scratch_.pending[pending_ + __popc(open & lanes_below())] = slots[k];
      pending_ += __popc(open);
    }
  }

  __device__ PulledList list_of(std::uint32_t slot) const
  {
    EdgeIndex const start = view_.in.first(slot);
    EdgeIndex const split = start + view_.in.delegate_length(slot);
    EdgeIndex const last = below(slot) > view_.delegates ? start + view_.in.length(slot) : split;
    return {start + 1, split, last};  // the first was asked already
  }

  __device__ void claim(std::uint32_t slot, std::uint32_t parent, Discoveries<Parent>& found) const
  {
    std::uint32_t const bit = 1u << (slot % 32);
    if ((atomicOr(view_.visited + slot / 32, bit) & bit) != 0) return;
    view_.settle(slot, parent, level_);
    found.add(slot);
  }

  // Lane by lane; a lane that is done takes the next pending vertex.
  __device__ void walk_lists(Discoveries<Parent>& found)
  {
    __syncwarp();
    PulledList list;
    std::uint32_t slot = 0;
    unsigned loads = 0, taken = 0;
    bool walking = false;
    for (;;) {
      unsigned const idle = __ballot_sync(all_lanes, !walking);
      if (idle == all_lanes && taken >= pending_) break;
      if (unsigned const mine = taken + __popc(idle & lanes_below()); !walking && mine < pending_) {
        slot = scratch_.pending[mine];
        list = list_of(slot);
        loads = 0;
        walking = list.next < list.last;
      }
      taken += __popc(idle);
      if (walking) {
        bool passed = false;
        std::uint32_t const parent = find_in_four(list, below(slot), passed);
        if (parent != no_vertex) claim(slot, parent, found);
        list.next = (list.next & ~EdgeIndex{3}) + 4;
        ++loads;
        walking = parent == no_vertex && !passed && list.next < list.last;
      }
      unsigned tired = __ballot_sync(all_lanes, walking && loads == loads_alone);
      for (; tired != 0; tired &= tired - 1) {
        unsigned const owner = __ffs(tired) - 1;
        walk_together(owner, slot, list, found);
        if (lane_id() == owner) walking = false;
      }
    }
    pending_ = 0;
    __syncwarp();
  }

  // The slot of a parent among four entries, no_vertex without one; `passed` when the list is over.
  __device__ std::uint32_t find_in_four(const PulledList& list, std::uint32_t limit, bool& passed)
  {
    EdgeIndex const aligned = list.next & ~EdgeIndex{3};
    Vertex four[4] = {0, 0, 0, 0};
    if (aligned + 4 <= view_.entries_in) {
      uint4 const loaded = *reinterpret_cast<const uint4*>(view_.in.targets + aligned);
      four[0] = loaded.x, four[1] = loaded.y, four[2] = loaded.z, four[3] = loaded.w;
    } else {
      for (unsigned i = 0; i < 4; ++i)
        if (aligned + i < view_.entries_in) four[i] = view_.in.targets[aligned + i];
    }
    std::uint32_t parent = no_vertex;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      EdgeIndex const entry = aligned + i;
      if (entry < list.next || parent != no_vertex || passed) continue;
      std::uint32_t const source = four[i] + (entry < list.split ? 0 : view_.delegates);
      passed = entry >= list.last || source >= limit;
      if (passed) continue;
      ++checked_;
      if (was_visited(view_.before, source)) parent = source;
    }
    return parent;
  }

  // The rest of one lane's list, by all lanes.
  __device__ void walk_together(unsigned owner, std::uint32_t its_slot, const PulledList& its_list,
                                Discoveries<Parent>& found)
  {
    std::uint32_t const slot = __shfl_sync(all_lanes, its_slot, owner);
    EdgeIndex const split = __shfl_sync(all_lanes, its_list.split, owner);
    EdgeIndex const last = __shfl_sync(all_lanes, its_list.last, owner);
    for (EdgeIndex base = __shfl_sync(all_lanes, its_list.next, owner); base < last; base += warp_threads) {
      EdgeIndex const entry = base + lane_id();
      std::uint32_t source = no_vertex;
      if (entry < last) source = view_.in.targets[entry] + (entry < split ? 0 : view_.delegates);
      bool const asked = source != no_vertex && source < below(slot);
      bool const hit = asked && was_visited(view_.before, source);
      checked_ += asked;
      if (unsigned const hits = __ballot_sync(all_lanes, hit); hits != 0) {
        if (lane_id() == __ffs(hits) - 1) claim(slot, source, found);
        return;
      }
      if (__ballot_sync(all_lanes, !asked) != 0) return;  // past the limit: sources rise within a list
    }
  }

  const SearchView<Parent>& view_;
  const LevelPlan& plan_;
  PullScratch& scratch_;
  std::int32_t level_;
  std::uint32_t found_ = 0;  // bits of this lane's word that first neighbours have settled
  unsigned pending_ = 0;     // the same in all lanes
  unsigned checked_ = 0;
};

// The share of `warp` of `warps`.
template <typename Parent>
__device__ void pull_waiting(const SearchView<Parent>& view, const Cursor& cursor, const LevelPlan& plan, unsigned warp,
                             unsigned warps, PullScratch& scratch, Discoveries<Parent>& found)
{
  // Words whose targets are all pushed are not looked at.
  std::uint32_t const first = plan.limits[0] != 0 ? 0 : view.delegates / 32;
  std::uint32_t const last = plan.limits[1] != 0 ? view.words : (view.delegates + 31) / 32;
  WarpPull<Parent> pull(view, plan, cursor.level + 1, scratch);
  for (std::uint64_t word = first + std::uint64_t{warp} * warp_threads; word < last;
       word += std::uint64_t{warps} * warp_threads)
    pull.run(static_cast<std::uint32_t>(word), found);
  pull.finish(found);
}

}  // namespace brushfire::cuda
