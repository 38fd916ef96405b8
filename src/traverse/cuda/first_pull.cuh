// The first pull of normal vertices, in two kernels of its own: it asks most of the graph and writes nearly all
// parents. Most vertices need nothing but their first neighbour, and asking for it takes so few registers that a
// multiprocessor holds 64 warps that wait for memory, where it holds 24 of the search kernel's. What first neighbours
// leave open is left as bits; the second kernel walks those lists, as pulls inside the search kernel do. That kernel
// has prepared the level before, and goes on with it behind (see Launch).
//
// A warp is the only one to look at its words, and nobody pushes meanwhile: the first kernel needs no atomics for bits.
// Parts have kernels of the same two steps, for their normal vertices (part_level.cuh).
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

constexpr std::uint32_t shares_of_normals(std::uint32_t words)
{
  return (words + words_per_share - 1) / words_per_share;
}

// That have a share for every warp.
constexpr unsigned blocks_for_shares(std::uint32_t shares, KernelShape shape)
{
  return (shares + shape.warps() - 1) / shape.warps();
}
constexpr unsigned blocks_of_first_pull(std::uint32_t words, std::uint32_t delegate_words, KernelShape shape)
{
  return blocks_for_shares(shares_of_delegates(delegate_words) + shares_of_normals(words - delegate_words), shape);
}

template <typename View>
__device__ PullShare share_of_normals(const View& view, std::uint32_t share)
{
  std::uint32_t const first = min(view.normal_base / 32 + share * words_per_share, view.words);
  return {1, first, min(first + words_per_share, view.words)};
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
  return share_of_normals(view, share - of_delegates);
}

// What a warp finds in a first pull: as Discoveries, but nothing is queued, and lists of normal vertices are not
// measured (see least_apart). So few registers are all that it has room for.
template <typename Parent>
class FoundApart {
 public:
  __device__ FoundApart(const SearchView<Parent>& view, LevelTally& tally) : view_(view), tally_(tally) {}

  __device__ void add_checked(unsigned count) { checked_ += count; }
  __device__ ListLength measure(std::uint32_t slot) const
  {
    if (slot >= view_.delegates) return {};
    return {view_.out.length(slot), view_.out.delegate_length(slot)};
  }
  __device__ void add(std::uint32_t slot, ListLength length)
  {
    if (slot == view_.target) tally_.target_reached = 1;
    ++(slot < view_.delegates ? delegates_ : normals_);
    if (slot < view_.delegates) count_lists_of_delegate(view_, tally_, slot, length);
  }
  // Of normal vertices.
  __device__ void add_word(std::uint32_t bits, std::uint32_t first)
  {
    normals_ += __popc(bits);
    if (view_.target - first < 32 && (bits >> (view_.target - first) & 1) != 0) tally_.target_reached = 1;
  }

  // All lanes together.
  __device__ void finish() const
  {
    unsigned const checked = sum_for_all_lanes(checked_), delegates = sum_for_all_lanes(delegates_),
                   normals = sum_for_all_lanes(normals_);
    if (lane_id() != 0) return;
    if (checked != 0) atomicAdd(&tally_.checked, Count{checked});
    if (delegates != 0) atomicAdd(&tally_.discovered_delegates, delegates);
    if (normals != 0) atomicAdd(&tally_.discovered_normals, normals);
  }

 private:
  const SearchView<Parent>& view_;
  LevelTally& tally_;
  unsigned checked_ = 0, delegates_ = 0, normals_ = 0;
};

// The vertices of a share, a word of bits a lane, ask their first neighbours; `clears`: those that stay without a
// parent get -1 on the way. All loads are predicated: branches around them would have them wait for each other.
template <typename View, typename Found, bool normals, bool clears>
class FirstNeighbours {
  using Parent = typename View::Parent;

 public:
  // Sources from `limit` on are pushed.
  __device__ FirstNeighbours(const View& view, std::uint32_t limit, const PullShare& share, Found& found)
      : view_(view),
        found_(found),
        limit_(limit),
        first_word_(share.first_word),
        words_(share.last_word - share.first_word),
        own_word_(share.first_word + lane_id()),
        visited_(exists() ? view.visited[own_word_] : ~0u)
  {
    if (clears && exists()) reached_ = view.before[own_word_];
    if (own_word_ == view.slots / 32) reached_ |= ~0u << (view.slots % 32);  // there are no more vertices
  }

  // All lanes together.
  __device__ void ask()
  {
#pragma unroll 1
    for (unsigned group = 0; group < words_; group += firsts_in_flight) ask_group(group);
    found_.add_checked(checked_);
    if (!exists()) return;
    view_.open[own_word_] = own_open_;
    if (own_hits_ == 0) return;
    view_.visited[own_word_] = visited_ | own_hits_;
    if constexpr (normals) found_.add_word(own_hits_, own_word_ * 32);
  }

 private:
  __device__ bool exists() const { return lane_id() < words_; }

  // A few words at a time; what is a lane's of the k-th is in number k, or bit k.
  __device__ void ask_group(unsigned group)
  {
    std::uint32_t const slot = (first_word_ + group) * 32 + lane_id();  // in the first word; others follow by 32
    std::uint32_t sources[firsts_in_flight];
#pragma unroll
    for (unsigned k = 0; k < firsts_in_flight; ++k) {
      sources[k] = no_vertex;
      if (!bit_of_lane(visited_, group + k)) sources[k] = __ldcs(view_.firsts + slot + 32 * k);
    }
    Vertex vertices[firsts_in_flight];
    unsigned const hits = look_up(group, sources, vertices);
    write_parents(group, slot, hits, vertices);
    if (view_.levels != nullptr)
      for (unsigned k = 0; k < firsts_in_flight; ++k)
        if ((hits >> k & 1) != 0) view_.levels[view_.vertex_of(slot + 32 * k)] = view_.cursor->level + 1;
    if constexpr (!normals) add_found(slot, hits);
  }

  // Which of the sources were visited when the level started, and which vertices those are.
  __device__ unsigned look_up(unsigned group, const std::uint32_t (&sources)[firsts_in_flight],
                              Vertex (&vertices)[firsts_in_flight])
  {
    std::uint32_t words[firsts_in_flight];
#pragma unroll
    for (unsigned k = 0; k < firsts_in_flight; ++k) {
      words[k] = 0;
      if (sources[k] < limit_) words[k] = view_.before[sources[k] / 32];
    }
    unsigned hits = 0;
#pragma unroll
    for (unsigned k = 0; k < firsts_in_flight; ++k) {
      bool const asked = sources[k] < limit_;
      bool const hit = (words[k] >> (sources[k] % 32) & 1) != 0;
      std::uint32_t const hits_of_word = __ballot_sync(all_lanes, hit);
      std::uint32_t const open_of_word = __ballot_sync(all_lanes, asked && !hit);
      if (lane_id() == group + k) own_hits_ = hits_of_word, own_open_ = open_of_word;
      checked_ += asked;
      hits |= hit ? 1u << k : 0;
      vertices[k] = 0;
      if (hit) vertices[k] = view_.vertex_of(sources[k]);
    }
    return hits;
  }

  __device__ void write_parents(unsigned group, std::uint32_t slot, unsigned hits,
                                const Vertex (&vertices)[firsts_in_flight])
  {
    Parent* const parents = normals ? view_.parents - view_.normal_base : view_.delegate_parents;  // by slot
#pragma unroll
    for (unsigned k = 0; k < firsts_in_flight; ++k) {
      bool const hit = (hits >> k & 1) != 0;
      bool writes = hit;
      if constexpr (clears) writes = !bit_of_lane(reached_, group + k);
      Parent parent = static_cast<Parent>(no_label);
      if (hit) parent = view_.label_of(vertices[k]);
      if (writes) view_.put(parents, slot + 32 * k, parent);
    }
  }

  // Lists are measured as they are found: whoever has the word would do it one after the other.
  __device__ void add_found(std::uint32_t slot, unsigned hits)
  {
    ListLength lengths[firsts_in_flight];
#pragma unroll
    for (unsigned k = 0; k < firsts_in_flight; ++k)
      if ((hits >> k & 1) != 0) lengths[k] = found_.measure(slot + 32 * k);
#pragma unroll
    for (unsigned k = 0; k < firsts_in_flight; ++k)
      if ((hits >> k & 1) != 0) found_.add(slot + 32 * k, lengths[k]);
  }

  // This lane's bit of the word that another lane has.
  static __device__ bool bit_of_lane(std::uint32_t word, unsigned owner)
  {
    return (__shfl_sync(all_lanes, word, owner) & 1u << lane_id()) != 0;
  }

  const View& view_;
  Found& found_;
  std::uint32_t limit_;
  std::uint32_t first_word_, words_;
  std::uint32_t own_word_, visited_;
  std::uint32_t reached_ = ~0u;
  std::uint32_t own_hits_ = 0, own_open_ = 0;
  unsigned checked_ = 0;
};

// Calls work(share, found) in every warp, and adds up what all have found.
template <typename Parent, typename Work>
__device__ void pull_by_shares(const SearchView<Parent>& view, Work&& work)
{
  __shared__ LevelTally tally;
  clear(tally, threadIdx.x, blockDim.x);
  __syncthreads();
  FoundApart<Parent> found(view, tally);
  work(share_of_this_warp(view), found);
  found.finish();
  __syncthreads();
  add_block_tally(tally, view.tallies[(view.cursor->tally + 1) % 3]);
}

template <typename Parent>
__global__ __launch_bounds__(ask_firsts_shape.threads, blocks_that_fit(ask_firsts_shape)) void ask_firsts(
    const __grid_constant__ SearchView<Parent> view)
{
  if (!view.cursor->pulling) return;
  pull_by_shares(view, [&](const PullShare& share, auto& found) {
    using View = SearchView<Parent>;
    using Found = FoundApart<Parent>;
    std::uint32_t const limit = view.plan->pulled_below[share.kind];
    if (share.kind == 0)
      FirstNeighbours<View, Found, false, false>(view, limit, share, found).ask();
    else
      FirstNeighbours<View, Found, true, true>(view, limit, share, found).ask();
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
    WarpPull<SearchView<Parent>, FoundApart<Parent>, false> pull(view, *view.plan, share.kind, view.cursor->level + 1,
                                                                 memory[warp_id()], found);
    pull.run_open(share.first_word, word < share.last_word ? view.open[word] : 0);
    pull.finish();
  });
}

}  // namespace brushfire::cuda
