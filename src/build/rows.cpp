#include "build/rows.hpp"

#include "build/layout.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

constexpr std::size_t radix_from = 512;  // below this std::sort is faster (measured on Zen 4)
constexpr int digit_bits = 8;

}  // namespace

void sort_row(std::span<Vertex> values, std::span<Vertex> scratch, int bits)
{
  if (values.size() < radix_from) {
    std::sort(values.begin(), values.end());
    return;
  }
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  Vertex* from = values.data();
  Vertex* to = scratch.data();
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

void sort_rows(std::span<Vertex> targets, std::span<const std::uint32_t> starts, std::span<std::uint32_t> ends,
               std::span<const std::uint64_t> bases, std::uint64_t delegate_rows, int bits, Team team)
{
  std::vector<std::vector<Vertex>> scratch_of(static_cast<std::size_t>(team.threads));
  auto const sort_block = [&](std::uint64_t first_row, std::uint64_t last_row, int thread) {
    auto& scratch = scratch_of[static_cast<std::size_t>(thread)];
    for (std::uint64_t row = first_row; row < last_row; ++row) {
      std::uint32_t const length = ends[row] - starts[row];
      if (length < 2) continue;
      std::span<Vertex> const values = targets.subspan(position_of(starts[row], bases[row / rows_per_base]), length);
      if (scratch.size() < length) scratch.resize(length);
      sort_row(values, scratch, bits);
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

EdgeIndex close_gaps(std::span<Vertex> targets, std::span<std::uint32_t> starts, std::span<const std::uint32_t> ends,
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
      std::memmove(&targets[chunk.from + chunk.size], &targets[from], length * sizeof(Vertex));
      chunk.size += length;
    }
  });
  EdgeIndex total = 0;
  for (Chunk& chunk : chunks) {
    chunk.to = total;
    if (chunk.size != 0) std::memmove(&targets[chunk.to], &targets[chunk.from], chunk.size * sizeof(Vertex));
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

}  // namespace brushfire
