// Layouts between host and device. What comes from the host may be an altered file, so it is checked here, once:
// rows follow one another without gaps from the first entry to the last, every list rises strictly, and every
// target is a rank below d or the Vertex of a normal vertex. Kernels then trust it.
#include "build/cuda/count_entries.hpp"
#include "build/cuda/device_layout.hpp"
#include "build/cuda/empty_rows.hpp"
#include "build/cuda/rows_view.cuh"
#include "device/launch.cuh"

#include <brushfire/error.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <limits>

namespace brushfire {

namespace {

[[noreturn]] void refuse() { throw Error(ErrorKind::input, "the graph's rows are damaged; convert it again"); }

bool sizes_agree(const Adjacency& rows, std::uint64_t delegates, std::uint64_t count)
{
  return rows.starts.size() == count + 1 && rows.splits.size() == (delegates == 0 ? 0 : count) &&
         rows.bases.size() == (count + rows_per_base - 1) / rows_per_base + 1;
}

bool sizes_agree(const Layout& layout)
{
  std::uint64_t const rows = std::uint64_t{layout.delegates} + layout.vertices;
  return layout.delegates <= layout.vertices && rows < std::numeric_limits<Vertex>::max() &&
         layout.delegate_vertices.size() == layout.delegates && layout.input_degrees.size() == layout.vertices &&
         sizes_agree(layout.out, layout.delegates, rows) &&
         (!layout.directed ||
          (sizes_agree(layout.in, layout.delegates, rows) && layout.in.targets.size() == layout.out.targets.size()));
}

// Rows with their whole positions, whatever the number of entries, and what they may contain.
struct CheckedView {
  RowsView rows;
  std::uint32_t row_count;
  EdgeIndex entries;
  Vertex vertices;
  std::uint64_t threshold;           // normal vertices have no longer rows
  const std::uint32_t* is_delegate;  // bits by Vertex
  unsigned* damaged;

  __device__ bool delegate(Vertex v) const { return (is_delegate[v / 32] >> (v % 32) & 1) != 0; }
};

// Each Vertex named once.
__global__ void mark_delegate_per_thread(const Vertex* delegate_vertices, Vertex delegates, Vertex vertices,
                                         std::uint32_t* is_delegate, unsigned* damaged)
{
  device::for_each_item(delegates, [=](std::uint64_t rank) {
    Vertex const v = delegate_vertices[rank];
    std::uint32_t const bit = 1u << (v % 32);
    if (v >= vertices || (atomicOr(&is_delegate[v / 32], bit) & bit) != 0) *damaged = 1;
  });
}

// Each row starts where the one before it ends, the first at 0, and the last ends with the entries; a base is where
// its block of rows starts, and 32 bits reach from there to every entry of the block.
__global__ void check_row_per_thread(CheckedView view)
{
  constexpr std::uint64_t largest_low = std::numeric_limits<std::uint32_t>::max();
  device::for_each_item(view.row_count, [=](std::uint64_t item) {
    auto const row = static_cast<std::uint32_t>(item);
    RowsView const& rows = view.rows;
    EdgeIndex const first = rows.first(row), last = rows.last(row);
    EdgeIndex const next = row + 1 < view.row_count ? rows.first(row + 1) : view.entries;
    std::uint64_t const base = rows.bases[row / rows_per_base];
    bool const follows = (row > 0 || first == 0) && last == next && last <= view.entries;
    bool const based = (row % rows_per_base != 0 || first == base) && last - base <= largest_low;
    bool const splits = rows.delegate_length(row) <= rows.length(row);
    bool const moved = row >= rows.delegates && view.delegate(row - rows.delegates);  // to the row of its rank
    bool const normal = rows.delegates == 0 || row < rows.delegates || rows.length(row) <= view.threshold;
    if (!follows || !based || !splits || !normal || (moved && rows.length(row) != 0)) *view.damaged = 1;
  });
}

// The row that holds `entry`, between two rows: the last one that starts at it or before.
__device__ std::uint32_t row_of(const RowsView& rows, EdgeIndex entry, std::uint32_t low, std::uint32_t high)
{
  while (low < high) {
    std::uint32_t const middle = high - (high - low) / 2;
    if (rows.first(middle) <= entry)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

// For rows that check_row_per_thread found in order. A warp finds the rows of its first and its last entry, between
// which each lane looks for its own: few steps whether rows are long, short, or mostly empty.
__global__ void check_targets_warp_per_chunk(CheckedView view)
{
  constexpr std::uint64_t chunk_entries = 1024, warp_threads = 32;
  RowsView const& rows = view.rows;
  std::uint64_t const chunks = (view.entries + chunk_entries - 1) / chunk_entries;
  device::for_each_item(chunks * warp_threads, [=](std::uint64_t item) {
    EdgeIndex const begin = item / warp_threads * chunk_entries, end = min(begin + chunk_entries, view.entries);
    std::uint32_t const first_row = row_of(rows, begin, 0, view.row_count - 1);
    std::uint32_t const last_row = row_of(rows, end - 1, first_row, view.row_count - 1);
    for (EdgeIndex e = begin + item % warp_threads; e < end; e += warp_threads) {
      std::uint32_t const row = row_of(rows, e, first_row, last_row);
      EdgeIndex const split = rows.split(row);
      Vertex const target = rows.targets[e];
      bool const opens = e == rows.first(row) || e == split;
      bool const rises = opens || rows.targets[e - 1] < target;
      bool const known = e < split ? target < rows.delegates : target < view.vertices && !view.delegate(target);
      if (!rises || !known) *view.damaged = 1;
    }
  });
}

void check(const DeviceLayout& layout, const DeviceAdjacency& adjacency, const device::Buffer<std::uint32_t>& bits,
           device::Buffer<unsigned>& damaged, const device::Stream& stream)
{
  auto const row_count = static_cast<std::uint32_t>(layout.rows());
  RowsView rows = rows_view(adjacency, layout.delegates);
  rows.bases = adjacency.bases.data();  // also where positions fit 32 bits: other readers restore with them
  CheckedView const view{rows,        row_count,     adjacency.targets.size(), layout.vertices, layout.threshold,
                         bits.data(), damaged.data()};
  if (row_count == 0 && view.entries != 0) refuse();
  device::launch_over(row_count, check_row_per_thread, stream, view);
  if (value_at(damaged, 0, stream) != 0) refuse();
  device::launch_over((view.entries + 31) / 32, check_targets_warp_per_chunk, stream, view);
  if (value_at(damaged, 0, stream) != 0) refuse();
}

void check(const DeviceLayout& layout, const device::Stream& stream)
{
  device::Buffer<unsigned> damaged(1);
  device::Buffer<std::uint32_t> is_delegate((std::uint64_t{layout.vertices} + 31) / 32);
  damaged.fill_bytes(0, stream);
  is_delegate.fill_bytes(0, stream);
  device::launch_over(layout.delegates, mark_delegate_per_thread, stream, layout.delegate_vertices.data(),
                      layout.delegates, layout.vertices, is_delegate.data(), damaged.data());
  check(layout, layout.out, is_delegate, damaged, stream);
  if (layout.directed) check(layout, layout.in, is_delegate, damaged, stream);
}

DeviceAdjacency copy_to_device(const Adjacency& rows, const device::Stream& stream)
{
  return {device::make_buffer(rows.starts.span(), stream), device::make_buffer(rows.splits.span(), stream),
          device::make_buffer(rows.bases.span(), stream), device::make_buffer(rows.targets.span(), stream)};
}

template <typename T>
Section<T> copy_to_host(const device::Buffer<T>& buffer, const device::Stream& stream)
{
  Buffer<T> values(buffer.size());
  buffer.download(values.span(), stream);
  stream.wait();
  return Section<T>(std::move(values));
}

Adjacency copy_to_host(const DeviceAdjacency& rows, const device::Stream& stream)
{
  return {copy_to_host(rows.starts, stream), copy_to_host(rows.splits, stream), copy_to_host(rows.bases, stream),
          copy_to_host(rows.targets, stream)};
}

struct LengthOfRow {
  RowsView rows;
  bool delegates_only;

  __device__ std::uint64_t operator()(std::uint64_t row) const
  {
    auto const slot = static_cast<std::uint32_t>(row);
    return delegates_only ? rows.delegate_length(slot) : rows.length(slot);
  }
};

std::uint64_t sum_of_lengths(LengthOfRow length, std::uint64_t first, std::uint64_t last, const device::Stream& stream)
{
  auto const lengths = thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(first), length);
  device::Buffer<std::uint64_t> sum(1);
  device::with_scratch("counting entries", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, lengths, sum.data(), last - first, stream.handle());
  });
  return value_at(sum, 0, stream);
}

}  // namespace

std::array<std::uint64_t, subgraph_count> count_entries(const DeviceLayout& layout, const device::Stream& stream)
{
  std::array<std::uint64_t, subgraph_count> entries{};
  RowsView const rows = rows_view(layout.out, layout.delegates);
  std::uint64_t from_delegates = 0;
  if (layout.delegates != 0) {
    from_delegates = sum_of_lengths({rows, false}, 0, layout.delegates, stream);
    entries[index_of(Subgraph::dd)] = sum_of_lengths({rows, true}, 0, layout.delegates, stream);
    entries[index_of(Subgraph::nd)] = sum_of_lengths({rows, true}, layout.delegates, layout.rows(), stream);
  }
  entries[index_of(Subgraph::dn)] = from_delegates - entries[index_of(Subgraph::dd)];
  entries[index_of(Subgraph::nn)] = layout.all_entries() - from_delegates - entries[index_of(Subgraph::nd)];
  return entries;
}

DeviceLayout copy_to_device(const Layout& layout, const device::Stream& stream)
{
  if (!sizes_agree(layout)) refuse();
  DeviceLayout copy;
  copy.vertices = layout.vertices;
  copy.delegates = layout.delegates;
  copy.threshold = layout.threshold;
  copy.directed = layout.directed;
  copy.delegate_vertices = device::make_buffer(layout.delegate_vertices.span(), stream);
  copy.input_degrees = device::make_buffer(layout.input_degrees.span(), stream);
  copy.out = copy_to_device(layout.out, stream);
  if (layout.directed) copy.in = copy_to_device(layout.in, stream);
  check(copy, stream);
  copy.entries = count_entries(copy, stream);
  if (copy.delegates != 0) drop_empty_rows(copy, stream);
  return copy;
}

Layout copy_to_host(const DeviceLayout& layout, const device::Stream& stream)
{
  Layout copy;
  copy.vertices = layout.vertices;
  copy.delegates = layout.delegates;
  copy.threshold = layout.threshold;
  copy.directed = layout.directed;
  copy.delegate_vertices = copy_to_host(layout.delegate_vertices, stream);
  copy.input_degrees = copy_to_host(layout.input_degrees, stream);
  copy.out = copy_to_host(layout.out, stream);
  copy.in = layout.directed ? copy_to_host(layout.in, stream) : copy.out;
  if (layout.row_words.size() == 0) return copy;

  RowNumbers const rows(layout.delegates, device::to_vector(layout.row_words, layout.row_words.size(), stream));
  auto const degrees = rows.by_vertex(copy.input_degrees.span(), copy.delegate_vertices.span(), layout.vertices);
  Buffer<std::uint32_t> degrees_of_all(degrees.size());
  std::ranges::copy(degrees, degrees_of_all.data());
  copy.input_degrees = Section<std::uint32_t>(std::move(degrees_of_all));
  copy.out = rows.with_empty_rows(copy.out, layout.vertices);
  copy.in = layout.directed ? rows.with_empty_rows(copy.in, layout.vertices) : copy.out;
  return copy;
}

}  // namespace brushfire
