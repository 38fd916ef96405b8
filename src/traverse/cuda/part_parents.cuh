// The kernels that complete the parents of a part when its last level is done: those of delegates, which any device may
// have found, meet where the delegate lives; a vertex that another device found looks in its own list for who that can
// have been, and asks that device for levels where it was not one alone.
#pragma once

#include "base/labels_view.hpp"
#include "traverse/cuda/part_level.cuh"

#include <type_traits>

namespace brushfire::cuda {

// Labels compare as unsigned numbers: -1, which is none, is larger than any.
template <typename Parent>
__device__ void keep_smaller(Parent* kept, Parent label)
{
  if constexpr (sizeof(Parent) == sizeof(unsigned))
    atomicMin(reinterpret_cast<unsigned*>(kept), static_cast<unsigned>(label));
  else
    atomicMin(reinterpret_cast<Count*>(kept), static_cast<Count>(label));
}

__device__ inline Count smallest_in_warp(Count label)
{
  for (unsigned offset = warp_threads / 2; offset != 0; offset /= 2)
    label = min(label, __shfl_xor_sync(all_lanes, label, offset));
  return label;
}

// The smallest label one level up among every `stride`-th entry of a row of the part.
template <typename Parent>
__device__ Count smallest_in_row(const PartView<Parent>& view, std::uint32_t row, std::int32_t above, unsigned first,
                                 unsigned stride)
{
  auto best = static_cast<Count>(no_label);
  auto const consider = [&](Vertex v) {
    if (view.levels[v] == above) best = min(best, static_cast<Count>(view.labels.table[v]));
  };
  EdgeIndex const split = view.in.split(row), last = view.in.last(row);
  for (EdgeIndex e = view.in.first(row) + first; e < split; e += stride) consider(view.vertex_of(view.in.targets[e]));
  for (EdgeIndex e = split + first; e < last; e += stride) consider(view.in.targets[e]);
  return best;
}

// Delegates have the long rows.
template <typename Parent>
__global__ void choose_smallest_block_per_delegate(PartView<Parent> view)
{
  __shared__ Count best;
  for (std::uint32_t rank = blockIdx.x; rank < view.delegates; rank += gridDim.x) {
    std::int32_t const level = view.levels[view.vertex_of(rank)];
    if (level <= 0) continue;  // the same for the whole block
    if (threadIdx.x == 0) best = static_cast<Count>(no_label);
    __syncthreads();
    Count const mine = smallest_in_row(view, rank, level - 1, threadIdx.x, blockDim.x);
    if (mine != static_cast<Count>(no_label)) atomicMin(&best, mine);
    __syncthreads();
    if (threadIdx.x == 0) view.put(nullptr, rank, static_cast<Parent>(best));
  }
}

template <typename Parent>
__global__ void choose_smallest_warp_per_vertex(PartView<Parent> view)
{
  device::for_each_item(std::uint64_t{view.vertices} * warp_threads, [&](std::uint64_t item) {
    auto const v = static_cast<Vertex>(item / warp_threads);
    std::int32_t const level = view.levels[v];
    if (level <= 0) return;
    Count const best = smallest_in_warp(smallest_in_row(view, view.delegates + v, level - 1, lane_id(), warp_threads));
    if (lane_id() == 0) view.parents[v] = static_cast<Parent>(best);
  });
}

template <typename Parent>
struct FoundDelegate {
  Parent rank;  // as wide as the parent: no byte is sent that nobody wrote
  Parent parent;
};

// The delegates that live here and were found here, as bits.
static __global__ void mark_settled_thread_per_word(const std::uint32_t* mine, const std::uint32_t* home_bits,
                                                    std::uint64_t words, std::uint32_t* settled)
{
  device::for_each_item(words, [&](std::uint64_t w) { settled[w] = mine[w] & home_bits[w]; });
}

// Those that another device must be told of: found here, and not settled where they live. Mostly there are few, so a
// block first looks whether it has any.
template <typename Parent>
__global__ __launch_bounds__(deal_threads) void deal_delegate_parents(PartView<Parent> view, const std::uint32_t* mine,
                                                                      const std::uint32_t* settled,
                                                                      const FarVertex* homes, BinsView bins,
                                                                      FoundDelegate<Parent>* found)
{
  constexpr unsigned per_thread = 8;
  constexpr std::uint64_t per_block = std::uint64_t{per_thread} * deal_threads;
  __shared__ DealMemory memory;
  auto const open = [&](std::uint64_t word) { return view.before[word] & mine[word] & ~settled[word]; };
  auto const load = [&](std::uint64_t rank) {
    if ((open(rank / 32) >> (rank % 32) & 1) == 0) return nobody;
    if (view.home_of[rank] != no_vertex) return nobody;
    return view.delegate_parents[rank] == static_cast<Parent>(no_label) ? nobody : homes[rank];
  };
  auto const store = [&](std::uint64_t rank, FarVertex, std::uint64_t place) {
    found[place] = {static_cast<Parent>(rank), view.delegate_parents[rank]};
  };
  for (std::uint64_t first = blockIdx.x * per_block; first < view.delegates; first += gridDim.x * per_block) {
    std::uint64_t const word = first / 32 + threadIdx.x;
    bool const any = threadIdx.x < per_block / 32 && word < view.normal_base / 32 && open(word) != 0;
    if (__syncthreads_or(any) != 0) deal_block<per_thread>(first, view.delegates, bins, memory, load, store);
  }
}

template <typename Parent>
__global__ void keep_smallest_thread_per_item(const __grid_constant__ Arrivals<FoundDelegate<Parent>> arrivals,
                                              PartView<Parent> view)
{
  device::for_each_item(arrivals.total(), [&](std::uint64_t i) {
    FoundDelegate<Parent> const found = arrivals.item(arrivals.piece_of(i), i);
    keep_smaller(view.parents + view.home_of[found.rank], found.parent);
  });
}

// Where levels of all are kept, delegates have them by rank.
template <typename Parent>
__global__ void move_level_thread_per_delegate(PartView<Parent> view)
{
  device::for_each_item(view.delegates, [&](std::uint64_t rank) {
    if (Vertex const home = view.home_of[rank]; home != no_vertex)
      view.levels[home] = view.levels[view.vertices + rank];
  });
}

// The first place at or after `first` whose device is not below `device`.
__device__ inline EdgeIndex lower_bound_of(const FarVertex* targets, EdgeIndex first, EdgeIndex last, int device)
{
  while (first < last) {
    EdgeIndex const middle = first + (last - first) / 2;
    if (device_of(targets[middle]) < device)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

// Who asks, and whom: with `smallest` everybody who has neighbours elsewhere, else those that another device found.
// They ask that device alone, if they know it for sure.
struct AskingRule {
  bool smallest;
  bool finder_is_sure;
};

// Lists the vertices that have to ask, and whom; one that has no choice is settled at once. `claimed` are those that
// other devices found, or null: then everybody is looked at.
template <typename Parent>
__global__ void list_asking_warp_per_32(PartView<Parent> view, FarRowsView rows, DealtLabelsView labels,
                                        AskingRule rule, const Claimed* claimed, std::uint64_t count,
                                        FarListsBuilt asking, Count* both)
{
  constexpr unsigned per_lane = 1;  // each looks through lists: many at once are better than many in a row
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x * per_lane;
  std::uint64_t const start = (std::uint64_t{blockIdx.x} * blockDim.x + warp_id() * warp_threads) * per_lane;
  for (std::uint64_t base = start; base < count; base += stride) {
    FoundList lists[per_lane];
    unsigned asks = 0;
#pragma unroll
    for (unsigned k = 0; k < per_lane; ++k) {
      std::uint64_t const i = base + k * warp_threads + lane_id();
      if (i >= count) continue;
      Claimed const one = claimed != nullptr ? claimed[i] : Claimed{static_cast<Vertex>(i), 0};
      Vertex const v = one.vertex;
      if (rule.smallest && (view.levels[v] <= 0 || rows.length(v) == 0)) continue;
      EdgeIndex first = rows.first(v), last = first + rows.length(v);
      if (!rule.smallest && rule.finder_is_sure) {
        first = lower_bound_of(rows.targets, first, last, one.device);
        last = lower_bound_of(rows.targets, first, last, one.device + 1);
      }
      if (last - first == 1 && !rule.smallest && !labels.own_only) {
        FarVertex const only = rows.targets[first];
        view.parents[v] = static_cast<Parent>(labels.of(device_of(only))(number_of(only)));
        continue;
      }
      lists[k] = {v, static_cast<std::uint32_t>(last - first), first};
      asks |= 1u << k;
    }
    add_lists(asking, both, lists, asks);
  }
}

static __global__ __launch_bounds__(deal_threads) void deal_questions(FarLists lists, std::uint64_t questions,
                                                                      BinsView bins, Vertex* numbers,
                                                                      std::uint64_t* places)
{
  auto const visit = [&](std::uint64_t, FarVertex asked) { return asked; };
  auto const store = [&](std::uint64_t question, FarVertex asked, std::uint64_t place) {
    numbers[place] = number_of(asked);
    places[question] = place;
  };
  deal_lists(lists, questions, bins, visit, store);
}

// What the asked vertices are called, where nobody else knows.
static __global__ void name_thread_per_question(const Label* labels, const __grid_constant__ Arrivals<Vertex> questions,
                                                Label* names)
{
  device::for_each_item(questions.total(),
                        [&](std::uint64_t i) { names[i] = labels[questions.item(questions.piece_of(i), i)]; });
}

// The levels of the asked vertices; unreached ones may have one from an earlier search.
template <typename Parent>
__global__ void answer_thread_per_question(PartView<Parent> view, const __grid_constant__ Arrivals<Vertex> questions,
                                           std::int32_t* answers)
{
  device::for_each_item(questions.total(), [&](std::uint64_t i) {
    Vertex const v = questions.item(questions.piece_of(i), i);
    std::uint32_t const slot = view.normal_base + v;
    bool const reached = (view.before[slot / 32] >> (slot % 32) & 1) != 0;
    answers[i] = reached ? view.levels[v] : unreached;
  });
}

// Answers go to where their questions were, from before[device] on.
template <typename Answer>
__global__ void hear_thread_per_answer(const __grid_constant__ Arrivals<Answer> answers, const std::uint64_t* before,
                                       Answer* heard)
{
  device::for_each_item(answers.total(), [&](std::uint64_t i) {
    unsigned const piece = answers.piece_of(i);
    heard[before[answers.devices[piece]] + (i - answers.begin(piece))] = answers.item(piece, i);
  });
}

// The answer to question q is at places[q]; so is the name of who was asked, unless labels tell.
template <typename Parent>
__global__ void choose_asked_warp_per_vertex(PartView<Parent> view, FarLists lists, DealtLabelsView labels,
                                             bool smallest, const std::int32_t* answers, const Label* names,
                                             const std::uint64_t* places)
{
  device::for_each_item(lists.count * warp_threads, [&](std::uint64_t item) {
    std::uint64_t const list = item / warp_threads;
    Vertex const v = lists.owners[list];
    std::int32_t const level = view.levels[v];
    auto best = static_cast<Count>(smallest ? Label{view.parents[v]} : no_label);
    for (std::uint64_t q = lists.begin(list) + lane_id(); q < lists.ends[list]; q += warp_threads)
      if (answers[places[q]] + 1 == level) {
        FarVertex const u = lists.target(list, q);
        Label const label = names != nullptr ? names[places[q]] : labels.of(device_of(u))(number_of(u));
        best = min(best, static_cast<Count>(label));
      }
    best = smallest_in_warp(best);
    if (lane_id() == 0) view.parents[v] = static_cast<Parent>(best);
  });
}

}  // namespace brushfire::cuda
