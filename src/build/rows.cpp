#include "build/rows.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

constexpr std::size_t radix_from = 512;  // below this std::sort is faster (measured on Zen 4)
constexpr int digit_bits = 8;

}  // namespace

RowStarts place_rows(std::span<const std::uint32_t> counts)
{
  RowStarts rows;
  rows.starts = Buffer<std::uint32_t>(counts.size() + 1);
  rows.bases = Buffer<std::uint64_t>((counts.size() + rows_per_base - 1) / rows_per_base + 1);
  EdgeIndex position = 0, block_start = 0;
  for (std::uint64_t row = 0; row < counts.size(); ++row) {
    if (row % rows_per_base == 0) rows.bases[row / rows_per_base] = block_start = position;
    rows.starts[row] = static_cast<std::uint32_t>(position);
    position += counts[row];
    if (position - block_start > std::numeric_limits<std::uint32_t>::max())
      fail(ErrorKind::failure, "{} neighbouring rows hold more than 2^32-1 entries, which this build cannot address",
           rows_per_base);
  }
  rows.starts[counts.size()] = static_cast<std::uint32_t>(position);
  rows.entries = position;
  return rows;
}

template <typename Target>
void sort_row(std::span<Target> values, std::span<Target> scratch, int bits)
{
  if (values.size() < radix_from) {
    std::sort(values.begin(), values.end());
    return;
  }
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  Target* from = values.data();
  Target* to = scratch.data();
  for (int shift = 0; shift < bits; shift += digit_bits) {
    std::array<std::uint32_t, digits> place{};
    for (std::size_t i = 0; i < values.size(); ++i) ++place[(from[i] >> shift) % digits];
    std::uint32_t sum = 0;
    for (auto& count : place) sum += std::exchange(count, sum);
    for (std::size_t i = 0; i < values.size(); ++i) to[place[(from[i] >> shift) % digits]++] = from[i];
    std::swap(from, to);
  }
  if (from != values.data()) std::memcpy(values.data(), from, values.size_bytes());
}

template <typename Target>
void sort_rows(std::span<Target> targets, std::span<const std::uint32_t> starts, std::span<std::uint32_t> ends,
               std::span<const std::uint64_t> bases, std::uint64_t delegate_rows, int bits, Team team)
{
  std::vector<std::vector<Target>> scratch_of(static_cast<std::size_t>(team.threads));
  auto const sort_block = [&](std::uint64_t first_row, std::uint64_t last_row, int thread) {
    auto& scratch = scratch_of[static_cast<std::size_t>(thread)];
    for (std::uint64_t row = first_row; row < last_row; ++row) {
      std::uint32_t const length = ends[row] - starts[row];
      if (length < 2) continue;
      std::span<Target> const values = targets.subspan(position_of(starts[row], bases[row / rows_per_base]), length);
      if (scratch.size() < length) scratch.resize(length);
      sort_row<Target>(values, scratch, bits);
      auto const kept = std::unique(values.begin(), values.end()) - values.begin();
      ends[row] = starts[row] + static_cast<std::uint32_t>(kept);
    }
  };
  // A delegate's row may be a large share of the graph: hand them out a few at a time.
  team.for_blocks(delegate_rows, 4, sort_block);
  team.for_blocks(ends.size() - delegate_rows, 4096, [&](std::uint64_t first, std::uint64_t last, int thread) {
    sort_block(delegate_rows + first, delegate_rows + last, thread);
  });
}

template <typename Target>
EdgeIndex close_gaps(std::span<Target> targets, std::span<std::uint32_t> starts, std::span<const std::uint32_t> ends,
                     std::span<std::uint64_t> bases, Team team)
{
  // Each chunk of rows is closed up on its own in parallel; then whole chunks slide left one after another.
  constexpr std::uint64_t rows_per_chunk = rows_per_base * 1024;
  struct Chunk {
    EdgeIndex from = 0, size = 0, to = 0;
  };
  std::uint64_t const rows = ends.size();
  std::vector<Chunk> chunks((rows + rows_per_chunk - 1) / rows_per_chunk);
  team.for_blocks(rows, rows_per_chunk, [&](std::uint64_t first_row, std::uint64_t last_row, int) {
    Chunk& chunk = chunks[first_row / rows_per_chunk];
    chunk.from = position_of(starts[first_row], bases[first_row / rows_per_base]);
    for (std::uint64_t row = first_row; row < last_row; ++row) {
      std::uint32_t const length = ends[row] - starts[row];
      EdgeIndex const from = position_of(starts[row], bases[row / rows_per_base]);
      if (length == 0) continue;
      std::memmove(&targets[chunk.from + chunk.size], &targets[from], length * sizeof(Target));
      chunk.size += length;
    }
  });
  EdgeIndex total = 0;
  for (Chunk& chunk : chunks) {
    chunk.to = total;
    if (chunk.size != 0) std::memmove(&targets[chunk.to], &targets[chunk.from], chunk.size * sizeof(Target));
    total += chunk.size;
  }
  team.for_blocks(rows, rows_per_chunk, [&](std::uint64_t first_row, std::uint64_t last_row, int) {
    EdgeIndex position = chunks[first_row / rows_per_chunk].to;
    for (std::uint64_t row = first_row; row < last_row; ++row) {
      std::uint32_t const length = ends[row] - starts[row];
      if (row % rows_per_base == 0) bases[row / rows_per_base] = position;
      starts[row] = static_cast<std::uint32_t>(position);
      position += length;
    }
  });
  starts[rows] = static_cast<std::uint32_t>(total);
  return total;
}

void split_rows(std::span<Vertex> targets, std::span<const std::uint32_t> starts, std::span<const std::uint64_t> bases,
                Vertex delegates, std::span<std::uint32_t> splits, Team team)
{
  team.for_blocks(splits.size(), 1024, [&](std::uint64_t first_row, std::uint64_t last_row, int) {
    for (std::uint64_t row = first_row; row < last_row; ++row) {
      auto const values = targets.subspan(position_of(starts[row], bases[row / rows_per_base]),
                                          static_cast<std::uint32_t>(starts[row + 1] - starts[row]));
      auto const normal = std::lower_bound(values.begin(), values.end(), delegates);
      splits[row] = starts[row] + static_cast<std::uint32_t>(normal - values.begin());
      for (auto target = normal; target != values.end(); ++target) *target -= delegates;
    }
  });
}

// Rows of one device, and rows whose targets lie on any.
template void sort_row(std::span<Vertex>, std::span<Vertex>, int);
template void sort_rows(std::span<Vertex>, std::span<const std::uint32_t>, std::span<std::uint32_t>,
                        std::span<const std::uint64_t>, std::uint64_t, int, Team);
template void sort_rows(std::span<std::uint64_t>, std::span<const std::uint32_t>, std::span<std::uint32_t>,
                        std::span<const std::uint64_t>, std::uint64_t, int, Team);
template EdgeIndex close_gaps(std::span<Vertex>, std::span<std::uint32_t>, std::span<const std::uint32_t>,
                              std::span<std::uint64_t>, Team);
template EdgeIndex close_gaps(std::span<std::uint64_t>, std::span<std::uint32_t>, std::span<const std::uint32_t>,
                              std::span<std::uint64_t>, Team);

}  // namespace brushfire
