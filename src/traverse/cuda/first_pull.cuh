// The first pull of normal vertices, in two kernels of its own: it asks most of the graph and writes nearly all
// parents. Most vertices need nothing but their first neighbour, and asking for it takes so few registers that a
// multiprocessor holds 64 warps that wait for memory, where it holds 24 of the search kernel's. What first neighbours
// leave open is left as bits; the second kernel walks those lists, as pulls inside the search kernel do. That kernel
// has prepared the level before, and goes on with it behind (see Launch).
//
// A warp is the only one to look at its words, and nobody pushes meanwhile: the first kernel needs no atomics for bits.
#pragma once

#include "traverse/cuda/decide.cuh"
#include "traverse/cuda/pull.cuh"

namespace brushfire::cuda {

// Small blocks: one that waits for its slowest warp keeps few others out.
inline constexpr KernelShape ask_firsts_shape{128, 16}, walk_open_shape{128, 12};

// Where a multiprocessor holds fewer threads, as many blocks as it does hold.
#if !defined(__CUDA_ARCH__)
inline constexpr unsigned threads_of_multiprocessor = 2048;
#elif __CUDA_ARCH__ < 800
inline constexpr unsigned threads_of_multiprocessor = 1024;
#elif __CUDA_ARCH__ == 800 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)
inline constexpr unsigned threads_of_multiprocessor = 2048;
#else
inline constexpr unsigned threads_of_multiprocessor = 1536;
#endif
constexpr unsigned blocks_that_fit(KernelShape shape)
{
  unsigned const most = threads_of_multiprocessor / shape.threads;
  return shape.blocks < most ? shape.blocks : most;
}

constexpr unsigned firsts_in_flight = 4;  // per lane

// The words of one kind of target that a warp takes.
struct PullShare {
  int kind;  // 0: delegates, 1: normal vertices
  std::uint32_t first_word, last_word;
};

constexpr std::uint32_t words_per_share = warp_threads;
constexpr std::uint32_t delegate_words_per_share = 4;  // their lists are long

constexpr std::uint32_t shares_of_delegates(std::uint32_t words)
{
  return (words + delegate_words_per_share - 1) / delegate_words_per_share;
}

// That have a share for every warp.
constexpr unsigned blocks_of_first_pull(std::uint32_t words, std::uint32_t delegate_words, KernelShape shape)
{
  std::uint32_t const of_normals = (words - delegate_words + words_per_share - 1) / words_per_share;
  return (shares_of_delegates(delegate_words) + of_normals + shape.warps() - 1) / shape.warps();
}

template <typename Parent>
__device__ PullShare share_of_this_warp(const SearchView<Parent>& view)
{
  std::uint32_t const share = blockIdx.x * warps_of_block() + warp_id();
  std::uint32_t const delegate_words = view.normal_base / 32, of_delegates = shares_of_delegates(delegate_words);
  if (share < of_delegates) {
    std::uint32_t const first = share * delegate_words_per_share;
    return {0, first, min(first + delegate_words_per_share, delegate_words)};
  }
  std::uint32_t const first = min(delegate_words + (share - of_delegates) * words_per_share, view.words);
  return {1, first, min(first + words_per_share, view.words)};
}

// Calls work(share, found) in every warp, and adds up what all have found.
template <typename Parent, typename Work>
__device__ void pull_by_shares(const SearchView<Parent>& view, Work&& work)
{
  __shared__ LevelTally tally;
  clear(tally, threadIdx.x, blockDim.x);
  __syncthreads();
  Discoveries<Parent> found(view, tally, nullptr, QueueEnd{});
  work(share_of_this_warp(view), found);
  found.finish();
  __syncthreads();
  add_block_tally(tally, view.tallies[(view.cursor->tally + 1) % 3]);
}

// All loads are predicated: branches around them would have them wait for each other.
template <typename Parent, bool normals>
__device__ void ask_firsts_of(const SearchView<Parent>& view, const PullShare& share, Discoveries<Parent>& found)
{
  std::uint32_t const limit = view.plan->pulled_below[normals ? 1 : 0];
  Parent* const parents = normals ? view.parents - view.normal_base : view.delegate_parents;  // by slot
  std::uint32_t const own_word = share.first_word + lane_id();
  bool const exists = own_word < share.last_word;
  std::uint32_t const visited = exists ? view.visited[own_word] : ~0u;
  std::uint32_t reached = exists && normals ? view.before[own_word] : ~0u;
  if (own_word == view.slots / 32) reached |= ~0u << (view.slots % 32);  // there are no more vertices
  std::uint32_t const lane_bit = 1u << lane_id();
  std::uint32_t own_hits = 0, own_open = 0;
  unsigned checked = 0;
#pragma unroll 1
  for (unsigned group = 0; group < share.last_word - share.first_word; group += firsts_in_flight) {
    std::uint32_t const slot = (share.first_word + group) * 32 + lane_id();  // in the first word; others follow by 32
    std::uint32_t sources[firsts_in_flight];
#pragma unroll
    for (unsigned k = 0; k < firsts_in_flight; ++k) {
      sources[k] = no_vertex;
      if ((__shfl_sync(all_lanes, visited, group + k) & lane_bit) == 0)
        sources[k] = __ldcs(view.firsts + slot + 32 * k);
    }
    std::uint32_t words[firsts_in_flight];
#pragma unroll
    for (unsigned k = 0; k < firsts_in_flight; ++k) {
      words[k] = 0;
      if (sources[k] < limit) words[k] = view.before[sources[k] / 32];
    }
    unsigned hits = 0;
    Vertex vertices[firsts_in_flight];
#pragma unroll
    for (unsigned k = 0; k < firsts_in_flight; ++k) {
      bool const asked = sources[k] < limit;
      bool const hit = (words[k] >> (sources[k] % 32) & 1) != 0;
      std::uint32_t const hits_of_word = __ballot_sync(all_lanes, hit);
      std::uint32_t const open_of_word = __ballot_sync(all_lanes, asked && !hit);
      if (lane_id() == group + k) own_hits = hits_of_word, own_open = open_of_word;
      checked += asked;
      hits |= hit ? 1u << k : 0;
      vertices[k] = sources[k] - view.normal_base;
      if (hit && sources[k] < view.delegates) vertices[k] = view.delegate_vertices[sources[k]];
    }
#pragma unroll
    for (unsigned k = 0; k < firsts_in_flight; ++k) {
      bool const hit = (hits >> k & 1) != 0;
      bool writes = hit;
      if constexpr (normals) writes = (__shfl_sync(all_lanes, reached, group + k) & lane_bit) == 0;
      Parent parent = static_cast<Parent>(no_label);
      if (hit) parent = view.label_of(vertices[k]);
      if (writes) parents[slot + 32 * k] = parent;
    }
    if (view.levels != nullptr)
      for (unsigned k = 0; k < firsts_in_flight; ++k)
        if ((hits >> k & 1) != 0) view.levels[view.vertex_of(slot + 32 * k)] = view.cursor->level + 1;
    if constexpr (!normals) {
      ListLength lengths[firsts_in_flight];
#pragma unroll
      for (unsigned k = 0; k < firsts_in_flight; ++k)
        if ((hits >> k & 1) != 0) lengths[k] = found.measure(slot + 32 * k);
#pragma unroll
      for (unsigned k = 0; k < firsts_in_flight; ++k)
        if ((hits >> k & 1) != 0) found.add(slot + 32 * k, lengths[k]);
    }
  }
  found.add_checked(checked);
  if (!exists) return;
  view.open[own_word] = own_open;
  if (own_hits == 0) return;
  view.visited[own_word] = visited | own_hits;
  if constexpr (normals) found.add_word(own_hits, own_word * 32);
}

template <typename Parent>
__global__ __launch_bounds__(ask_firsts_shape.threads, blocks_that_fit(ask_firsts_shape)) void ask_firsts(
    const __grid_constant__ SearchView<Parent> view)
{
  if (!view.cursor->pulling) return;
  pull_by_shares(view, [&](const PullShare& share, auto& found) {
    if (share.kind == 0)
      ask_firsts_of<Parent, false>(view, share, found);
    else
      ask_firsts_of<Parent, true>(view, share, found);
  });
}

template <typename Parent>
__global__ __launch_bounds__(walk_open_shape.threads, blocks_that_fit(walk_open_shape)) void walk_open_lists(
    const __grid_constant__ SearchView<Parent> view)
{
  if (!view.cursor->pulling) return;
  __shared__ PullMemory memory[walk_open_shape.warps()];
  pull_by_shares(view, [&](const PullShare& share, auto& found) {
    std::uint32_t const word = share.first_word + lane_id();
    WarpPull<SearchView<Parent>, Discoveries<Parent>, false> pull(view, *view.plan, share.kind, view.cursor->level + 1,
                                                                  memory[warp_id()], found);
    pull.run_open(share.first_word, word < share.last_word ? view.open[word] : 0);
    pull.finish();
  });
}

}  // namespace brushfire::cuda
