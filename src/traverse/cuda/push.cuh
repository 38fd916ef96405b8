// Push: warps walk the lists of the frontier. A warp takes up to 32 lists at a time and its lanes share all their
// entries evenly; long lists come in pieces. A vertex belongs to the lane that flips its visited bit.
#pragma once

#include "traverse/cuda/discoveries.cuh"

namespace brushfire::cuda {

// The part of a source's list that is pushed.
struct PushedList {
  EdgeIndex first = 0;
  EdgeIndex split = 0;  // entries before it are delegates
  std::uint32_t length = 0;
  std::uint32_t slot = 0;
};

template <typename Parent>
__device__ PushedList pushed_list(const SearchView<Parent>& view, const LevelPlan& plan, std::uint32_t slot)
{
  EdgeIndex const start = view.out.first(slot);
  EdgeIndex const end = start + view.out.length(slot);
  EdgeIndex const split = start + view.out.delegate_length(slot);
  EdgeIndex const first = slot >= plan.pulled_below[0] ? start : split;
  EdgeIndex const last = slot >= plan.pulled_below[1] ? end : split;
  return {first, split, static_cast<std::uint32_t>(last - first), slot};
}

template <typename Parent>
__device__ PushedList pushed_piece(const SearchView<Parent>& view, const LevelPlan& plan, Piece piece)
{
  PushedList list = pushed_list(view, plan, piece.slot);
  EdgeIndex const start = view.out.first(piece.slot);
  std::uint32_t const length = piece_length(view.out.length(piece.slot));
  EdgeIndex const first = max(list.first, start + std::uint64_t{piece.index} * length);
  EdgeIndex const last = min(list.first + list.length, start + (std::uint64_t{piece.index} + 1) * length);
  list.first = first;
  list.length = first < last ? static_cast<std::uint32_t>(last - first) : 0;
  return list;
}

// Each lane brings a list, perhaps an empty one; entries are shared out over the warp.
template <typename Parent>
__device__ void push_lists(const SearchView<Parent>& view, const PushedList& list, std::int32_t level,
                           Discoveries<Parent>& found)
{
  constexpr unsigned in_flight = 4;  // entries per lane: gathers and claims that wait at the same time
  std::uint32_t const end = sum_up_to_lane(list.length);  // of this lane's list among all entries of the warp
  std::uint32_t const total = __shfl_sync(all_lanes, end, warp_threads - 1);
  EdgeIndex const origin = list.first - (end - list.length);  // entry number 0 of the warp, if it were this list's

  for (std::uint32_t base = 0; base < total; base += in_flight * warp_threads) {
    std::uint32_t slots[in_flight], sources[in_flight], words[in_flight], lengths[in_flight];
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) {
      std::uint32_t const entry = base + k * warp_threads + lane_id();
      unsigned owner = 0;
#pragma unroll
      for (unsigned step = warp_threads / 2; step != 0; step /= 2)
        if (__shfl_sync(all_lanes, end, owner + step - 1) <= entry) owner += step;
      EdgeIndex const position = __shfl_sync(all_lanes, origin, owner) + entry;
      EdgeIndex const split = __shfl_sync(all_lanes, list.split, owner);
      sources[k] = __shfl_sync(all_lanes, list.slot, owner);
      slots[k] = no_vertex;
      if (entry < total) slots[k] = __ldcs(view.out.targets + position) + (position < split ? 0 : view.delegates);
    }
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k)
      words[k] = slots[k] == no_vertex ? ~0u : __ldcg(view.visited + slots[k] / 32);
    // Having looked first spares most atomics: many targets of a wide frontier are visited already.
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) {
      std::uint32_t const bit = 1u << (slots[k] % 32);
      if ((words[k] & bit) == 0) words[k] = atomicOr(view.visited + slots[k] / 32, bit);
    }
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) {
      lengths[k] = 0;
      if ((words[k] >> (slots[k] % 32) & 1) != 0) {
        slots[k] = no_vertex;  // visited already, or claimed by another lane
      } else {
        view.settle(slots[k], sources[k], level);
        lengths[k] = found.add(slots[k]);
      }
    }
#pragma unroll
    for (unsigned k = 0; k < in_flight; ++k) found.enqueue(slots[k] != no_vertex, slots[k], lengths[k]);
  }
  if (lane_id() == 0) found.add_checked(total);
}

// `warp` of `warps` does its share of the level.
template <typename Parent>
__device__ void push_frontier(const SearchView<Parent>& view, const Cursor& cursor, const LevelPlan& plan,
                              unsigned warp, unsigned warps, Discoveries<Parent>& found)
{
  std::int32_t const level = cursor.level + 1;
  for (unsigned i = warp; i < cursor.pieces_count; i += warps) {
    PushedList list;
    if (lane_id() == 0) list = pushed_piece(view, plan, view.pieces[cursor.pieces_begin + i]);
    push_lists(view, list, level, found);
  }
  // A warp takes as many lists as fill it once, so that few warps append to the queue of a small level.
  constexpr std::uint32_t entries_at_a_time = 128;
  unsigned const even_share = (cursor.queue_count + warps - 1) / warps;
  unsigned const full_share = static_cast<unsigned>(std::uint64_t{cursor.queue_count} * entries_at_a_time /
                                                    (cursor.frontier_entries + 1));
  unsigned const lists = min(warp_threads, max(max(even_share, full_share), 1u));
  for (std::uint64_t first = std::uint64_t{warp} * lists; first < cursor.queue_count;
       first += std::uint64_t{warps} * lists) {
    PushedList list;
    if (lane_id() < lists && first + lane_id() < cursor.queue_count)
      list = pushed_list(view, plan, view.queue[cursor.queue_begin + first + lane_id()]);
    push_lists(view, list, level, found);
  }
}

}  // namespace brushfire::cuda
