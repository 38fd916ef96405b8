#include "traverse/cuda/search_index.hpp"

#include "build/cuda/rows_view.cuh"
#include "device/launch.cuh"
#include "traverse/cuda/long_lists.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

namespace brushfire::cuda {

namespace {

struct IndexCounts {
  unsigned long long searchable[2];
  unsigned long long entries[2][source_classes];
  unsigned long long long_lists, pieces;
};

// A warp per word of bits. Between the delegates and the normal vertices there may be slots of nobody.
__global__ void index_rows_warp_per_word(RowsView in, RowsView out, RowNumbersView numbers, std::uint32_t normal_base,
                                         std::uint64_t slots, std::uint32_t* firsts, NextSources* nexts,
                                         std::uint32_t* never, IndexCounts* counts)
{
  __shared__ IndexCounts block;
  auto* const words = reinterpret_cast<unsigned*>(&block);
  for (unsigned i = threadIdx.x; i < sizeof(IndexCounts) / sizeof(unsigned); i += blockDim.x) words[i] = 0;
  __syncthreads();
  std::uint32_t const delegates = in.delegates;
  device::for_each_item((slots + 31) / 32 * 32, [&](std::uint64_t i) {
    auto const slot = static_cast<std::uint32_t>(i);
    bool waits = false;
    bool const exists = slot < delegates || (slot >= normal_base && i < slots);
    std::uint32_t first = no_vertex;
    if (exists && (slot < delegates || numbers.has_row(slot - normal_base))) {
      std::uint32_t const row = slot < delegates ? slot : numbers.row_of(slot - normal_base);
      waits = in.length(row) != 0;
      NextSources next{no_vertex, no_vertex, no_vertex, no_vertex};
      if (waits) {
        EdgeIndex const start = in.first(row), split = in.split(row), last = in.last(row);
        auto const source = [&](EdgeIndex e) { return in.targets[e] + (e < split ? 0 : normal_base); };
        first = source(start);
        for (unsigned k = 0; k < next_sources; ++k)
          if (start + 1 + k < last) next.slots[k] = source(start + 1 + k);
      }
      nexts[row] = next;
      if (waits) atomicAdd(&block.searchable[slot < delegates ? 0 : 1], 1ull);
      unsigned const its_class = slot < delegates ? class_of_rank(slot) : normal_class;
      std::uint32_t const to_delegates = out.delegate_length(row);
      std::uint32_t const to_normals = out.length(row) - to_delegates;
      if (to_delegates != 0) atomicAdd(&block.entries[0][its_class], static_cast<unsigned long long>(to_delegates));
      if (to_normals != 0) atomicAdd(&block.entries[1][its_class], static_cast<unsigned long long>(to_normals));
      if (std::uint32_t const length = to_delegates + to_normals; length >= long_list) {
        atomicAdd(&block.long_lists, 1ull);
        atomicAdd(&block.pieces, static_cast<unsigned long long>(piece_count(length, long_list)));
      }
    }
    if (exists) firsts[slot] = first;
    unsigned const waiting = __ballot_sync(0xffffffffu, waits);
    if (threadIdx.x % 32 == 0) never[i / 32] = ~waiting;
  });
  __syncthreads();
  auto const* const from = reinterpret_cast<unsigned long long*>(&block);
  auto* const to = reinterpret_cast<unsigned long long*>(counts);
  for (unsigned i = threadIdx.x; i < sizeof(IndexCounts) / sizeof(unsigned long long); i += blockDim.x)
    if (from[i] != 0) atomicAdd(to + i, from[i]);
}

__global__ void number_items(std::uint64_t count, std::uint32_t* numbers)
{
  device::for_each_item(count, [&](std::uint64_t i) { numbers[i] = static_cast<std::uint32_t>(i); });
}

}  // namespace

SearchIndex::SearchIndex(const DeviceLayout& layout, const device::Stream& stream)
    : normal_base(static_cast<std::uint32_t>(first_normal(layout.delegates))),
      firsts(slots(layout.vertices, layout.delegates)),
      nexts(layout.rows()),
      never(words(layout.vertices, layout.delegates)),
      row_numbers(layout.delegates, device::to_vector(layout.row_words, layout.row_words.size(), stream))
{
  index_rows(layout, stream);
  index_delegates(layout, stream);
}

std::uint64_t SearchIndex::predict_bytes(std::uint64_t vertices, std::uint64_t delegates)
{
  return saturating_sum({bytes_of<std::uint32_t>(slots(vertices, delegates)),
                         bytes_of<NextSources>(saturating_sum({vertices, delegates})),
                         bytes_of<std::uint32_t>(words(vertices, delegates)), bytes_of<Vertex>(delegates),
                         bytes_of<Vertex>(delegates)});
}

std::optional<std::uint32_t> SearchIndex::rank_of(Vertex vertex) const
{
  auto const found = std::lower_bound(homes_on_host.begin(), homes_on_host.end(), vertex);
  if (found == homes_on_host.end() || *found != vertex) return std::nullopt;
  return ranks_on_host[static_cast<std::size_t>(found - homes_on_host.begin())];
}

std::uint32_t SearchIndex::slot_of(Vertex vertex) const { return rank_of(vertex).value_or(normal_base + vertex); }

std::uint32_t SearchIndex::row_of(Vertex vertex) const
{
  auto const rank = rank_of(vertex);
  return rank ? *rank : row_numbers.of(vertex).value();
}

void SearchIndex::index_rows(const DeviceLayout& layout, const device::Stream& stream)
{
  device::Buffer<IndexCounts> counts(1);
  counts.fill_bytes(0, stream);
  constexpr std::uint64_t most_items = 1 << 20;  // in flight: every block adds its counts up once
  device::launch_over(std::min(never.size() * 32, most_items), index_rows_warp_per_word, stream,
                      rows_view(layout.pulled(), layout.delegates), rows_view(layout.out, layout.delegates),
                      brushfire::row_numbers(layout), normal_base, firsts.size(), firsts.data(), nexts.data(),
                      never.data(), counts.data());
  IndexCounts const found = device::value_at(counts, 0, stream);
  searchable_delegates = found.searchable[0];
  searchable_normals = found.searchable[1];
  long_lists = found.long_lists;
  pieces = found.pieces;
  for (std::size_t kind = 0; kind < 2; ++kind)
    for (std::size_t its_class = 0; its_class < source_classes; ++its_class)
      entries_of_class[kind][its_class] = found.entries[kind][its_class];
}

void SearchIndex::index_delegates(const DeviceLayout& layout, const device::Stream& stream)
{
  if (layout.delegates == 0) return;
  device::Buffer<Vertex> ranks(layout.delegates);
  homes = device::Buffer<Vertex>(layout.delegates);
  ranks_of_homes = device::Buffer<Vertex>(layout.delegates);
  device::launch_over(layout.delegates, number_items, stream, layout.delegates, ranks.data());
  device::with_scratch("sorting delegates", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, layout.delegate_vertices.data(), homes.data(), ranks.data(),
                                           ranks_of_homes.data(), layout.delegates, 0, 32, stream.handle());
  });
  homes_on_host = device::to_vector(homes, layout.delegates, stream);
  ranks_on_host = device::to_vector(ranks_of_homes, layout.delegates, stream);
}

}  // namespace brushfire::cuda
