// Push: warps walk the lists of the frontier. A warp takes up to 32 lists at a time and its lanes share all their
// entries evenly; long lists come in pieces. A vertex belongs to the lane that flips its visited bit. What is found
// goes to `found`: Discoveries of a device alone, or PartFindings.
#pragma once

#include "traverse/cuda/discoveries.cuh"

namespace brushfire::cuda {

// The part of a source's list that is pushed.
struct PushedList {
  EdgeIndex first = 0;
  EdgeIndex split = 0;  // entries before it are delegates
  std::uint32_t length = 0;
  Vertex source = 0;
};

template <typename View>
__device__ PushedList pushed_list(const View& view, const LevelPlan& plan, std::uint32_t slot)
{
  std::uint32_t const row = view.row_of(slot);
  EdgeIndex const start = view.out.first(row);
  EdgeIndex const end = start + view.out.length(row);
  EdgeIndex const split = start + view.out.delegate_length(row);
  EdgeIndex const first = slot >= plan.pulled_below[0] ? start : split;
  EdgeIndex const last = slot >= plan.pulled_below[1] ? end : split;
  return {first, split, static_cast<std::uint32_t>(last - first), view.vertex_of(slot)};
}

template <typename View>
__device__ PushedList pushed_piece(const View& view, const LevelPlan& plan, ListPiece piece)
{
  PushedList list = pushed_list(view, plan, piece.slot);
  std::uint32_t const row = view.row_of(piece.slot);
  EdgeIndex const start = view.out.first(row);
  std::uint32_t const length = piece_length(view.out.length(row), plan.shortest_piece);
  EdgeIndex const first = max(list.first, start + std::uint64_t{piece.index} * length);
  EdgeIndex const last = min(list.first + list.length, start + (std::uint64_t{piece.index} + 1) * length);
  list.first = first;
  list.length = first < last ? static_cast<std::uint32_t>(last - first) : 0;
  return list;
}

constexpr unsigned entries_in_flight = 4;  // per lane: gathers and claims that wait at the same time

// Claims what can be claimed among the targets of each lane, `slots`, no_vertex where there is none.
template <typename View, typename Found>
__device__ void push_to(const View& view, std::uint32_t (&slots)[entries_in_flight],
                        const Vertex (&sources)[entries_in_flight], std::int32_t level, Found& found)
{
  std::uint32_t words[entries_in_flight];
  ListLength lengths[entries_in_flight];
#pragma unroll
  for (unsigned k = 0; k < entries_in_flight; ++k)
    words[k] = slots[k] == no_vertex ? ~0u : __ldcg(view.visited + slots[k] / 32);
    // Having looked first spares most atomics: many targets of a wide frontier are visited already. Lengths are asked
    // for before it is known who wins: they arrive together with the answer.
#pragma unroll
  for (unsigned k = 0; k < entries_in_flight; ++k) {
    std::uint32_t const bit = 1u << (slots[k] % 32);
    if ((words[k] & bit) != 0) continue;
    lengths[k] = found.measure(slots[k]);
    words[k] = atomicOr(view.visited + slots[k] / 32, bit);
  }
  unsigned fresh = 0;
#pragma unroll
  for (unsigned k = 0; k < entries_in_flight; ++k) {
    if (slots[k] == no_vertex || (words[k] >> (slots[k] % 32) & 1) != 0) continue;
    fresh |= 1u << k;
    view.settle(slots[k], sources[k], level);
    found.add(slots[k], lengths[k]);
  }
  found.enqueue(fresh, slots, lengths);
}

// Each lane brings a list, perhaps an empty one. Lists too short to be worth sharing are walked by their own lanes;
// otherwise all entries are shared out over the warp.
template <typename View, typename Found>
__device__ void push_lists(const View& view, const PushedList& list, std::int32_t level, Found& found)
{
  constexpr std::uint32_t short_list = 2 * entries_in_flight;
  bool const alone = __all_sync(all_lanes, list.length <= short_list);
  std::uint32_t const end = sum_up_to_lane(list.length);  // of this lane's list among all entries of the warp
  std::uint32_t const total = __shfl_sync(all_lanes, end, warp_threads - 1);
  EdgeIndex const origin = list.first - (end - list.length);  // entry number 0 of the warp, if it were this list's
  // Alone, a lane counts its own entries; together, the lanes count those of all lists.
  std::uint32_t const step = alone ? 1 : warp_threads;
  std::uint32_t const mine_first = alone ? 0 : lane_id();
  std::uint32_t const mine_last = alone ? list.length : total;

  for (std::uint32_t base = 0; __any_sync(all_lanes, mine_first + base < mine_last); base += entries_in_flight * step) {
    std::uint32_t slots[entries_in_flight];
    Vertex sources[entries_in_flight];
#pragma unroll
    for (unsigned k = 0; k < entries_in_flight; ++k) {
      std::uint32_t const entry = mine_first + base + k * step;
      EdgeIndex position = list.first + entry;
      EdgeIndex split = list.split;
      sources[k] = list.source;
      if (!alone) {
        unsigned const owner = lane_that_holds(end, entry);
        position = __shfl_sync(all_lanes, origin, owner) + entry;
        split = __shfl_sync(all_lanes, list.split, owner);
        sources[k] = __shfl_sync(all_lanes, list.source, owner);
      }
      slots[k] = no_vertex;
      if (entry < mine_last) slots[k] = __ldcs(view.out.targets + position) + (position < split ? 0 : view.normal_base);
    }
    push_to(view, slots, sources, level, found);
  }
  found.add_checked(list.length);
}

// Cuts the long lists that push into pieces: a warp per list, because a lane would be busy for long with that of a hub.
template <typename View, typename Queues>
__device__ void cut_long_lists(const View& view, const Queues& cursor, const LevelPlan& plan, unsigned warp,
                               unsigned warps, unsigned* count)
{
  for (unsigned i = warp; i < cursor.longs_count; i += warps) {
    std::uint32_t const slot = view.longs[cursor.longs_begin + i];
    if (pushed_list(view, plan, slot).length == 0) continue;
    std::uint32_t const pieces = piece_count(view.out.length(view.row_of(slot)), plan.shortest_piece);
    unsigned first = 0;
    if (lane_id() == 0) first = atomicAdd(count, pieces);
    first = __shfl_sync(all_lanes, first, 0);
    for (std::uint32_t k = lane_id(); k < pieces; k += warp_threads) view.pieces[first + k] = {slot, k};
  }
}

// `warp` of `warps` does its share of the level; its long lists are in `pieces`.
template <typename View, typename Queues, typename Found>
__device__ void push_frontier(const View& view, const Queues& cursor, const LevelPlan& plan, unsigned pieces,
                              unsigned warp, unsigned warps, Found& found)
{
  // A warp takes as many lists as fill it once, so that few warps append to the queue of a small level.
  constexpr std::uint32_t entries_at_a_time = entries_in_flight * warp_threads;
  unsigned const even_share = (cursor.queue_count + warps - 1) / warps;
  unsigned const full_share =
      static_cast<unsigned>(std::uint64_t{cursor.queue_count} * entries_at_a_time / (cursor.frontier_entries + 1));
  unsigned const lists = min(warp_threads, max(max(even_share, full_share), 1u));
  std::uint64_t const shares = pieces + (std::uint64_t{cursor.queue_count} + lists - 1) / lists;
  for (std::uint64_t share = warp; share < shares; share += warps) {
    PushedList list;
    if (share < pieces) {
      if (lane_id() == 0) list = pushed_piece(view, plan, view.pieces[share]);
    } else if (std::uint64_t const i = (share - pieces) * lists + lane_id();
               lane_id() < lists && i < cursor.queue_count) {
      list = pushed_list(view, plan, view.queue[cursor.queue_begin + i]);
    }
    push_lists(view, list, cursor.level + 1, found);
  }
}

}  // namespace brushfire::cuda
