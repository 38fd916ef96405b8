// Logarithmic radix binning (Green, "ButterFly BFS"): the lists of a frontier are sorted into bins of lengths that
// differ by less than a factor of two, and every bin is pushed in a shape that suits it: short lists by a thread each,
// longer ones by a warp or a block, and the longest by the whole grid.
#pragma once

#include "build/cuda/rows_view.cuh"
#include "device/launch.cuh"
#include "traverse/cuda/search_view.cuh"

#include <cstdint>

namespace brushfire::cuda {

inline constexpr unsigned list_bins = 33;                                  // bin b: 2^(b-1) to 2^b - 1 entries
inline constexpr unsigned first_for_warps = 6;                             // 32 entries
inline constexpr unsigned first_for_blocks = 11, first_for_the_grid = 16;  // 1024, 32768
__device__ inline unsigned bin_of(std::uint32_t length) { return 32 - static_cast<unsigned>(__clz(length)); }

struct BinnedLists {
  unsigned counts[list_bins];
  unsigned taken[list_bins];
  unsigned firsts[list_bins + 1];  // where each bin begins, when lists are in their bins
  Count entries;                   // of all lists
};

// Vertices whose lists are pushed: vertex v has row v + first_row.
struct QueuedLists {
  const Vertex* vertices;
  std::uint64_t most;     // there can be
  const unsigned* count;  // how many there are, where that is known on the device only; else null
  Vertex first_row;

  __device__ std::uint64_t size() const { return count != nullptr ? *count : most; }
  __device__ Vertex row(std::uint64_t i) const { return vertices[i] + first_row; }
};

// `binned` is all zeros.
static __global__ void count_lists_thread_per_list(RowsView rows, QueuedLists lists, BinnedLists* binned)
{
  __shared__ unsigned counts[list_bins];
  __shared__ Count entries;
  for (unsigned b = threadIdx.x; b < list_bins; b += blockDim.x) counts[b] = 0;
  if (threadIdx.x == 0) entries = 0;
  __syncthreads();
  Count mine = 0;
  device::for_each_item(lists.size(), [&](std::uint64_t i) {
    std::uint32_t const length = rows.length(lists.row(i));
    mine += length;
    atomicAdd(&counts[bin_of(length)], 1u);
  });
  if (mine != 0) atomicAdd(&entries, mine);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < list_bins; b += blockDim.x)
    if (counts[b] != 0) atomicAdd(&binned->counts[b], counts[b]);
  if (threadIdx.x == 0 && entries != 0) atomicAdd(&binned->entries, entries);
}

// `order` gets the rows, bin after bin; `checked` counts the entries that will be pushed.
static __global__ void bin_lists_thread_per_list(RowsView rows, QueuedLists lists, BinnedLists* binned, Vertex* order,
                                                 Count* checked)
{
  __shared__ unsigned firsts[list_bins + 1], counts[list_bins], places[list_bins];
  if (threadIdx.x == 0) {
    firsts[0] = 0;
    for (unsigned b = 0; b < list_bins; ++b) firsts[b + 1] = firsts[b] + binned->counts[b];
    if (blockIdx.x == 0) {
      for (unsigned b = 0; b <= list_bins; ++b) binned->firsts[b] = firsts[b];
      *checked += binned->entries;
    }
  }
  std::uint64_t const size = lists.size();
  for (std::uint64_t tile = std::uint64_t{blockIdx.x} * blockDim.x; tile < size;
       tile += std::uint64_t{gridDim.x} * blockDim.x) {
    for (unsigned b = threadIdx.x; b < list_bins; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    std::uint64_t const i = tile + threadIdx.x;
    bool const mine = i < size;
    Vertex const row = mine ? lists.row(i) : 0;
    unsigned const bin = mine ? bin_of(rows.length(row)) : 0;
    unsigned const rank = mine ? atomicAdd(&counts[bin], 1u) : 0;
    __syncthreads();
    for (unsigned b = threadIdx.x; b < list_bins; b += blockDim.x)
      if (counts[b] != 0) places[b] = firsts[b] + atomicAdd(&binned->taken[b], counts[b]);
    __syncthreads();
    if (mine) order[places[bin] + rank] = row;
    __syncthreads();  // before counts and places are used again
  }
}

struct BinnedFrontier {
  RowsView rows;
  const BinnedLists* binned;
  const Vertex* order;
  Vertex named_from;

  template <typename Found>
  __device__ void push(Vertex row, unsigned first, unsigned stride, const Found& found) const
  {
    EdgeIndex const last = rows.last(row);
    for (EdgeIndex e = rows.first(row) + first; e < last; e += stride)
      found.meet(__ldcs(rows.targets + e), row + named_from);
  }
};

template <typename Found>
__global__ void push_thread_per_list(BinnedFrontier frontier, Found found)
{
  unsigned const first = frontier.binned->firsts[1], last = frontier.binned->firsts[first_for_warps];
  device::for_each_item(last - first, [&](std::uint64_t i) { frontier.push(frontier.order[first + i], 0, 1, found); });
}

template <typename Found>
__global__ void push_warp_per_list(BinnedFrontier frontier, Found found)
{
  unsigned const last = frontier.binned->firsts[first_for_blocks];
  unsigned const warps = gridDim.x * blockDim.x / warp_threads;
  for (std::uint64_t i = frontier.binned->firsts[first_for_warps] + blockIdx.x * warps_of_block() + warp_id(); i < last;
       i += warps)
    frontier.push(frontier.order[i], lane_id(), warp_threads, found);
}

template <typename Found>
__global__ void push_block_per_list(BinnedFrontier frontier, Found found)
{
  unsigned const first_of_grid = frontier.binned->firsts[first_for_the_grid];
  for (std::uint64_t i = frontier.binned->firsts[first_for_blocks] + blockIdx.x; i < first_of_grid; i += gridDim.x)
    frontier.push(frontier.order[i], threadIdx.x, blockDim.x, found);
  unsigned const last = frontier.binned->firsts[list_bins];
  for (unsigned i = first_of_grid; i < last; ++i)
    frontier.push(frontier.order[i], blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x, found);
}

// Puts the lists of a frontier into bins, and pushes them.
class BinnedPush {
 public:
  BinnedPush(std::uint64_t most_lists, unsigned multiprocessors, const device::Stream& stream)
      : stream_(stream), multiprocessors_(multiprocessors), order_(most_lists), binned_(1)
  {
  }
  static std::uint64_t predict_bytes(std::uint64_t most_lists)
  {
    return most_lists * sizeof(Vertex) + sizeof(BinnedLists);
  }

  // The lists that are pushed next, if they are.
  void take(const RowsView& rows, const QueuedLists& lists)
  {
    rows_ = rows;
    lists_ = lists;
    binned_.fill_bytes(0, stream_);
    device::launch(count_lists_thread_per_list, blocks_for(lists.most, device::block_threads), device::block_threads,
                   stream_, rows, lists, binned_.data());
  }
  // To the host, when the stream has come to here.
  void read_entries(Count* entries) { device::copy_to_host(entries, &binned_.data()->entries, sizeof(Count), stream_); }

  // Who is found by row r has the parent r + named_from; `checked` counts entries.
  template <typename Found>
  void push(Vertex named_from, const Found& found, Count* checked)
  {
    if (lists_.most == 0) return;
    device::launch(bin_lists_thread_per_list, blocks_for(lists_.most, device::block_threads), device::block_threads,
                   stream_, rows_, lists_, binned_.data(), order_.data(), checked);
    BinnedFrontier const frontier{rows_, binned_.data(), order_.data(), named_from};
    device::launch(push_thread_per_list<Found>, blocks_for(lists_.most, device::block_threads), device::block_threads,
                   stream_, frontier, found);
    device::launch(push_warp_per_list<Found>, blocks_for(lists_.most, device::block_threads / warp_threads),
                   device::block_threads, stream_, frontier, found);
    device::launch(push_block_per_list<Found>, 2 * multiprocessors_, device::block_threads, stream_, frontier, found);
  }

 private:
  unsigned blocks_for(std::uint64_t items, unsigned per_block) const
  {
    constexpr std::uint64_t blocks_per_multiprocessor = 2048 / device::block_threads;
    return device::blocks_for(items, per_block, std::uint64_t{multiprocessors_} * blocks_per_multiprocessor);
  }

  const device::Stream& stream_;
  unsigned multiprocessors_;
  device::Buffer<Vertex> order_;
  device::Buffer<BinnedLists> binned_;
  RowsView rows_{};
  QueuedLists lists_{};
};

}  // namespace brushfire::cuda
