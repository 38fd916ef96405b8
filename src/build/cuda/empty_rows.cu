#include "build/cuda/empty_rows.hpp"

#include "build/cuda/device_rows.hpp"
#include "build/cuda/rows_view.cuh"
#include "build/rows.hpp"
#include "device/launch.cuh"

#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include <bit>
#include <limits>
#include <utility>

namespace brushfire {

namespace {

// A warp per word. A delegate's row is that of its rank; its Vertex's is empty.
__global__ void mark_rows_warp_per_word(RowsView out, RowsView in, Vertex vertices, std::uint64_t words,
                                        RowWord* row_words)
{
  device::for_each_item(words * vertices_per_word, [=](std::uint64_t i) {
    std::uint32_t const row = out.delegates + static_cast<std::uint32_t>(i);
    bool const has_row = i < vertices && (out.length(row) != 0 || in.length(row) != 0);
    unsigned const bits = __ballot_sync(0xffffffffu, has_row);
    if (i % vertices_per_word == 0) row_words[i / vertices_per_word] = {bits, 0};
  });
}

__global__ void number_thread_per_word(const std::uint32_t* before, std::uint64_t words, RowWord* row_words)
{
  device::for_each_item(words, [=](std::uint64_t word) { row_words[word].before = before[word]; });
}

struct RowsOfWord {
  __device__ std::uint32_t operator()(const RowWord& word) const { return __popc(word.bits); }
};

// The words of all vertices, and how many of them have a row.
std::pair<device::Buffer<RowWord>, std::uint64_t> find_rows(const DeviceLayout& layout, const device::Stream& stream)
{
  std::uint64_t const words = layout.vertices / vertices_per_word + 1;  // nothing is left of the last at least
  device::Buffer<RowWord> row_words(words);
  device::launch_over(words * vertices_per_word, mark_rows_warp_per_word, stream,
                      rows_view(layout.out, layout.delegates), rows_view(layout.pulled(), layout.delegates),
                      layout.vertices, words, row_words.data());
  device::Buffer<std::uint32_t> before(words);
  auto const counts = thrust::make_transform_iterator(std::as_const(row_words).data(), RowsOfWord{});
  device::with_scratch("numbering rows", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts, before.data(), words, stream.handle());
  });
  device::launch_over(words, number_thread_per_word, stream, before.data(), words, row_words.data());
  RowWord const last = value_at(row_words, words - 1, stream);
  return {std::move(row_words), last.before + static_cast<std::uint64_t>(std::popcount(last.bits))};
}

// Of all rows, those of delegates stay where they are.
__global__ void keep_row_per_thread(RowsView all, std::uint64_t rows, RowNumbersView numbers, std::uint32_t* starts,
                                    std::uint32_t* splits, std::uint64_t* bases)
{
  device::for_each_item(rows, [=](std::uint64_t item) {
    auto const row = static_cast<std::uint32_t>(item);
    bool const delegate = row < all.delegates;
    if (!delegate && !numbers.has_row(row - all.delegates)) return;
    std::uint32_t const number = delegate ? row : numbers.row_of(row - all.delegates);
    starts[number] = all.starts[row];
    splits[number] = all.splits[row];
    if (number % rows_per_base == 0) bases[number / rows_per_base] = all.first(row);
  });
}

// 32 bits must reach from a base to the end of all rows that it stands for.
__global__ void check_base_per_thread(const std::uint64_t* bases, std::uint64_t count, EdgeIndex entries,
                                      unsigned* overfull)
{
  device::for_each_item(count, [=](std::uint64_t base) {
    EdgeIndex const end = base + 1 < count ? bases[base + 1] : entries;
    if (end - bases[base] > std::numeric_limits<std::uint32_t>::max()) *overfull = 1;
  });
}

void drop_empty_rows(DeviceAdjacency& rows, RowNumbersView numbers, std::uint64_t kept_count,
                     const device::Stream& stream)
{
  std::uint64_t const all_count = rows.starts.size() - 1;
  EdgeIndex const entries = rows.targets.size();
  DeviceAdjacency kept{device::Buffer<std::uint32_t>(kept_count + 1),
                       device::Buffer<std::uint32_t>(kept_count),
                       device::Buffer<std::uint64_t>(bases_of(kept_count)),
                       {}};
  kept.bases.fill_bytes(0, stream);
  device::launch_over(all_count, keep_row_per_thread, stream, rows_view(rows, numbers.delegates), all_count, numbers,
                      kept.starts.data(), kept.splits.data(), kept.bases.data());
  device::copy_on_device(kept.starts.data() + kept_count, rows.starts.data() + all_count, sizeof(std::uint32_t),
                         stream);
  device::Buffer<unsigned> overfull(1);
  overfull.fill_bytes(0, stream);
  device::launch_over(bases_of(kept_count) - 1, check_base_per_thread, stream, kept.bases.data(),
                      bases_of(kept_count) - 1, entries, overfull.data());
  if (value_at(overfull, 0, stream) != 0) throw_overfull_base();
  kept.targets = std::move(rows.targets);
  rows = std::move(kept);
}

__global__ void take_thread_per_row(const std::uint32_t* by_vertex, const Vertex* delegate_vertices,
                                    std::uint64_t vertices, RowNumbersView numbers, std::uint32_t* by_row)
{
  device::for_each_item(numbers.delegates + vertices, [=](std::uint64_t i) {
    if (i < numbers.delegates)
      by_row[i] = by_vertex[delegate_vertices[i]];
    else if (auto const v = static_cast<Vertex>(i - numbers.delegates); numbers.has_row(v))
      by_row[numbers.row_of(v)] = by_vertex[v];
  });
}

}  // namespace

void drop_empty_rows(DeviceLayout& layout, const device::Stream& stream)
{
  auto [row_words, normal_rows] = find_rows(layout, stream);
  std::uint64_t const rows = layout.delegates + normal_rows;
  RowNumbersView const numbers{row_words.data(), layout.delegates};
  drop_empty_rows(layout.out, numbers, rows, stream);
  if (layout.directed) drop_empty_rows(layout.in, numbers, rows, stream);
  device::Buffer<std::uint32_t> degrees(rows);
  device::launch_over(layout.delegates + std::uint64_t{layout.vertices}, take_thread_per_row, stream,
                      layout.input_degrees.data(), layout.delegate_vertices.data(), std::uint64_t{layout.vertices},
                      numbers, degrees.data());
  stream.wait();
  layout.input_degrees = std::move(degrees);
  layout.row_words = std::move(row_words);
}

std::optional<std::uint32_t> RowNumbers::of(Vertex normal) const
{
  if (words_.empty()) return delegates_ + normal;
  auto const [bits, before] = words_[normal / vertices_per_word];
  std::uint32_t const bit = 1u << (normal % vertices_per_word);
  if ((bits & bit) == 0) return std::nullopt;
  return delegates_ + before + static_cast<std::uint32_t>(std::popcount(bits & (bit - 1)));
}

Adjacency RowNumbers::with_empty_rows(const Adjacency& rows, Vertex vertices) const
{
  std::uint64_t const all = std::uint64_t{delegates_} + vertices, kept = rows.starts.size() - 1;
  Buffer<std::uint32_t> starts(all + 1), splits(all);
  Buffer<std::uint64_t> bases(bases_of(all));
  // An empty row starts, and is split, where the next one starts.
  for (std::uint64_t row = 0, number = 0; row <= all; ++row) {
    starts[row] = rows.starts[number];
    if (row == all) break;
    bool const has_row = row < delegates_ || of(static_cast<Vertex>(row - delegates_)).has_value();
    splits[row] = has_row ? rows.splits[number] : rows.starts[number];
    if (row % rows_per_base == 0)
      bases[row / rows_per_base] =
          number == kept ? rows.targets.size() : position_of(rows.starts[number], rows.bases[number / rows_per_base]);
    if (has_row) ++number;
  }
  return {Section<std::uint32_t>(std::move(starts)), Section<std::uint32_t>(std::move(splits)),
          Section<std::uint64_t>(std::move(bases)), rows.targets};
}

std::vector<std::uint32_t> RowNumbers::by_vertex(std::span<const std::uint32_t> by_row,
                                                 std::span<const Vertex> delegate_vertices, Vertex vertices) const
{
  std::vector<std::uint32_t> values(vertices, 0);
  for (Vertex v = 0; v < vertices; ++v)
    if (auto const row = of(v)) values[v] = by_row[*row];
  for (std::size_t rank = 0; rank < delegate_vertices.size(); ++rank) values[delegate_vertices[rank]] = by_row[rank];
  return values;
}

}  // namespace brushfire
