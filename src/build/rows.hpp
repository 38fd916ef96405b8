// Rows under construction: placing, dropping in, sorting, dropping duplicates, closing the gaps, all inside one target
// array. Targets are 32 bits wide, or 64 where they lie on other devices.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"

#include <brushfire/types.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

namespace brushfire {

// A row is addressed by the low 32 bits of its start; a 64-bit base per rows_per_base rows restores the rest.
struct RowStarts {
  Buffer<std::uint32_t> starts;  // one more than rows
  Buffer<std::uint64_t> bases;
  EdgeIndex entries = 0;
};

// Room for counts[r] entries in row r.
RowStarts place_rows(std::span<const std::uint32_t> counts);

// Position of a row from its low bits and the base of its block.
inline EdgeIndex position_of(std::uint32_t low, std::uint64_t base)
{
  return base + (low - static_cast<std::uint32_t>(base));
}

// Drops of one thread into rows, done in three sweeps. An atomic operation waits until all stores before it have left
// the core, so cursors are advanced in one sweep (their lines fetched beforehand) and entries stored in the next: every
// sweep overlaps its cache misses. One drop after another took three times as long.
template <typename Target>
class Drops {
 public:
  Drops(std::span<std::uint32_t> cursors, std::span<const std::uint64_t> bases, std::span<Target> targets)
      : cursors_(cursors), bases_(bases), targets_(targets)
  {
  }

  void add(Vertex row, Target value)
  {
    __builtin_prefetch(&cursors_[row], 1);
    rows_[count_] = row;
    values_[count_] = value;
    if (++count_ == rows_.size()) finish();
  }

  void finish()
  {
    std::array<EdgeIndex, batch> places;
    for (std::size_t i = 0; i < count_; ++i) {
      Vertex const row = rows_[i];
      std::uint32_t const low = std::atomic_ref<std::uint32_t>(cursors_[row]).fetch_add(1, std::memory_order_relaxed);
      places[i] = position_of(low, bases_[row / rows_per_base]);
    }
    for (std::size_t i = 0; i < count_; ++i) targets_[places[i]] = values_[i];
    count_ = 0;
  }

 private:
  static constexpr std::size_t batch = 128;
  std::span<std::uint32_t> cursors_;
  std::span<const std::uint64_t> bases_;
  std::span<Target> targets_;
  std::array<Vertex, batch> rows_;
  std::array<Target, batch> values_;
  std::size_t count_ = 0;
};

// Sorts `values`, all below 2^bits, using `scratch` of at least the same size when it helps.
template <typename Target>
void sort_row(std::span<Target> values, std::span<Target> scratch, int bits);

// Sorts every row [starts[r], ends[r]) and drops duplicates; ends[r] moves down. `delegate_rows` come first and are
// long.
template <typename Target>
void sort_rows(std::span<Target> targets, std::span<const std::uint32_t> starts, std::span<std::uint32_t> ends,
               std::span<const std::uint64_t> bases, std::uint64_t delegate_rows, int bits, Team team);

// Moves all rows together to the front; starts (one more than rows) and bases get their new values. Returns the entries
// left.
template <typename Target>
EdgeIndex close_gaps(std::span<Target> targets, std::span<std::uint32_t> starts, std::span<const std::uint32_t> ends,
                     std::span<std::uint64_t> bases, Team team);

// Targets are slots: a delegate's rank, or `delegates` + Vertex. Turns them back into ranks and Vertices in the first
// splits.size() rows, and finds where the normal neighbours start.
void split_rows(std::span<Vertex> targets, std::span<const std::uint32_t> starts, std::span<const std::uint64_t> bases,
                Vertex delegates, std::span<std::uint32_t> splits, Team team);

}  // namespace brushfire
