// Rows from entries, wherever these come from. An entry is a key, (row, target), so sorting the keys of a slice of rows
// sorts the rows and every row's list at once, and brings duplicates together. Slices follow one another, each small
// enough for the keys that there is room for.
#pragma once

#include "base/saturating.hpp"
#include "build/cuda/device_layout.hpp"
#include "build/cuda/device_rows.hpp"
#include "build/layout.hpp"
#include "device/gpus.hpp"
#include "device/launch.cuh"

#include <brushfire/error.hpp>
#include <brushfire/types.hpp>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/functional>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace brushfire {

using KeyCounter = unsigned long long;  // what atomicAdd takes
using Key = std::uint64_t;

// Consecutive rows, and where their keys are gathered.
struct SliceView {
  std::uint32_t first_row, row_count;
  int target_bits;
  std::uint64_t capacity;
  Key* keys;
  KeyCounter* gathered;

  __device__ bool holds(Vertex row) const { return row - first_row < row_count; }
  __device__ Key key(Vertex row, Key target) const { return Key{row - first_row} << target_bits | target; }
};

static __global__ void check_block_of_rows_per_thread(const EdgeIndex* offsets, std::uint64_t rows, unsigned* overfull)
{
  device::for_each_item((rows + rows_per_base - 1) / rows_per_base, [=](std::uint64_t block) {
    EdgeIndex const first = offsets[block * rows_per_base], last = offsets[min((block + 1) * rows_per_base, rows)];
    if (last - first > std::numeric_limits<std::uint32_t>::max()) *overfull = 1;
  });
}

inline void check_addressable(const device::Buffer<EdgeIndex>& offsets, const device::Stream& stream)
{
  std::uint64_t const rows = offsets.size() - 1;
  device::Buffer<unsigned> overfull(1);
  overfull.fill_bytes(0, stream);
  device::launch_over(rows / rows_per_base + 1, check_block_of_rows_per_thread, stream, offsets.data(), rows,
                      overfull.data());
  if (value_at(overfull, 0, stream) != 0) throw_overfull_base();
}

inline std::uint64_t largest_of(const device::Buffer<std::uint32_t>& counts, const device::Stream& stream)
{
  device::Buffer<std::uint32_t> largest(1);
  device::with_scratch("finding the longest row", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(scratch, bytes, counts.data(), largest.data(), std::uint64_t{counts.size()},
                                     ::cuda::maximum<std::uint32_t>(), std::uint32_t{0}, stream.handle());
  });
  return value_at(largest, 0, stream);
}

// As many keys as there is room for beside the targets, up to all of them. A little is left for other programs. So many
// devices share the GPU, and ask before any of them takes what it is told.
inline std::uint64_t keys_in_slice(EdgeIndex entries, std::uint64_t target_bytes, std::uint64_t longest_row,
                                   std::uint64_t most_keys, int sharing)
{
  auto const devices = static_cast<std::uint64_t>(sharing);
  std::uint64_t const free = device::free_gpu_bytes() / devices;
  std::uint64_t const spoken_for = saturating_sum({entries * target_bytes, free / 16, 4 * scratch_bytes});
  std::uint64_t const room = free > spoken_for ? (free - spoken_for) / bytes_per_key : 0;
  return std::max(std::min({entries, most_keys, std::max(room, least_keys / devices)}), longest_row);
}

template <typename Targets>
__global__ void write_target_per_thread(const Key* keys, std::uint64_t count, Targets targets_of,
                                        typename Targets::Target* targets)
{
  Key const mask = (Key{1} << targets_of.bits) - 1;
  device::for_each_item(count, [=](std::uint64_t i) { targets[i] = targets_of(keys[i] & mask); });
}

// The first of keys[low ... high-1] that is not below `key`, or high.
inline __device__ std::uint64_t lower_bound(const Key* keys, std::uint64_t low, std::uint64_t high, Key key)
{
  while (low < high) {
    std::uint64_t const middle = low + (high - low) / 2;
    if (keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct RowsTarget {  // the arrays being filled
  std::uint32_t* starts;
  std::uint32_t* splits;  // null without delegates
  std::uint64_t* bases;
};

static __global__ void place_row_per_thread(SliceView slice, std::uint64_t count, EdgeIndex first_entry,
                                            const EdgeIndex* offsets, Vertex delegates, RowsTarget rows)
{
  device::for_each_item(slice.row_count, [=](std::uint64_t local) {
    std::uint64_t const row = slice.first_row + local;
    Key const first_key = local << slice.target_bits;
    std::uint64_t const start = lower_bound(slice.keys, 0, count, first_key);
    EdgeIndex const position = first_entry + start;
    rows.starts[row] = static_cast<std::uint32_t>(position);
    if (row % rows_per_base == 0) rows.bases[row / rows_per_base] = position;
    if (rows.splits == nullptr) return;
    std::uint64_t const end = min(count, start + (offsets[row + 1] - offsets[row]));  // duplicates counted: not before
    std::uint64_t const split = lower_bound(slice.keys, start, end, first_key + delegates);
    rows.splits[row] = static_cast<std::uint32_t>(first_entry + split);
  });
}

template <typename Target>
struct FinishedRows {
  device::Buffer<std::uint32_t> starts;
  device::Buffer<std::uint32_t> splits;  // none without delegates
  device::Buffer<std::uint64_t> bases;
  device::Buffer<Target> targets;
};

// A slot stands for a target until the keys are in order.
struct TargetOfSlot {
  using Target = Vertex;
  int bits;
  Vertex delegates;

  __device__ Vertex operator()(Key slot) const
  {
    return static_cast<Vertex>(slot < delegates ? slot : slot - delegates);
  }
};

inline DeviceAdjacency adjacency_of(FinishedRows<Vertex> rows)
{
  return {std::move(rows.starts), std::move(rows.splits), std::move(rows.bases), std::move(rows.targets)};
}

// `Targets` says how a target is written in a key: in so many `bits`, those of delegates below `delegates`; and what it
// is in the end.
template <typename Targets>
class RowBuilder {
 public:
  using Target = typename Targets::Target;

  // `offsets` are where rows would start if duplicates stayed, and one more. So many devices share the GPU.
  RowBuilder(device::Buffer<EdgeIndex> offsets, Targets targets, int sharing, const device::Stream& stream)
      : targets_of_(targets),
        sharing_(static_cast<std::uint64_t>(sharing)),
        stream_(stream),
        row_count_(offsets.size() - 1),
        offsets_(std::move(offsets))
  {
    check_addressable(offsets_, stream);
    entries_ = value_at(offsets_, row_count_, stream);
    rows_.starts = device::Buffer<std::uint32_t>(row_count_ + 1);
    if (targets.delegates != 0) rows_.splits = device::Buffer<std::uint32_t>(row_count_);
    rows_.bases = device::Buffer<std::uint64_t>(bases_of(row_count_));
    rows_.bases.fill_bytes(0, stream);  // as on the host, the last one is no row's
  }

  EdgeIndex entries() const { return entries_; }  // duplicates counted

  // So that a slice has at most `capacity` keys; the longest row must have no more.
  void cut(std::uint64_t capacity)
  {
    capacity_ = capacity;
    keys_ = device::Buffer<Key>(capacity);
    spare_keys_ = device::Buffer<Key>(capacity);
    cuts_ = cut_rows();
  }
  std::uint64_t slices() const { return cuts_.size() - 1; }

  // In at least so many slices, empty ones behind the own: devices that give each other keys make the same number.
  // gather(slice, expected) puts all keys of a slice where it says, in any order, and counts them.
  template <typename Gather>
  FinishedRows<Target> build(std::uint64_t passes, Gather&& gather)
  {
    for (std::uint64_t slice = 0; slice < std::max(passes, slices()); ++slice) {
      std::uint64_t const keys = collect(std::min(slice, slices()), gather);
      if (slice >= slices()) continue;
      std::uint64_t const kept = sort(keys);
      // One slice: now the entries are known. Several: duplicates of later ones are not.
      if (slice == 0) rows_.targets = device::Buffer<Target>(slices() == 1 ? kept : entries_);
      append(kept);
    }
    auto const end = static_cast<std::uint32_t>(written_);
    device::copy_to_device(rows_.starts.data() + row_count_, &end, sizeof(end), stream_);
    stream_.wait();
    keys_ = {};
    spare_keys_ = {};
    offsets_ = {};
    shrink_targets();
    return std::move(rows_);
  }

 private:
  // Rows 0 = cuts[0] < cuts[1] < ... so that the entries of each slice fit the keys, and a key 64 bits.
  std::vector<std::uint64_t> cut_rows() const
  {
    std::uint64_t const most_rows = std::uint64_t{1} << std::min(32, 64 - targets_of_.bits);
    std::vector<std::uint64_t> cuts{0};
    while (cuts.back() < row_count_) {
      EdgeIndex const most = value_at(offsets_, cuts.back(), stream_) + capacity_;
      // The last row that starts at `most` or before.
      std::uint64_t low = cuts.back() + 1, high = std::min(row_count_, cuts.back() + most_rows);
      while (low < high) {
        std::uint64_t const middle = high - (high - low) / 2;
        if (value_at(offsets_, middle, stream_) <= most)
          low = middle;
        else
          high = middle - 1;
      }
      cuts.push_back(low);
    }
    return cuts;
  }

  template <typename Gather>
  std::uint64_t collect(std::uint64_t slice, Gather&& gather)
  {
    std::uint64_t const first_row = cuts_[slice], last_row = cuts_[std::min(slice + 1, slices())];
    gathered_.fill_bytes(0, stream_);
    slice_ = {static_cast<std::uint32_t>(first_row),
              static_cast<std::uint32_t>(last_row - first_row),
              targets_of_.bits,
              capacity_,
              keys_.data(),
              gathered_.data()};
    std::uint64_t const expected = value_at(offsets_, last_row, stream_) - value_at(offsets_, first_row, stream_);
    gather(slice_, expected);
    if (value_at(gathered_, 0, stream_) != expected)
      throw Error(ErrorKind::input, "the edges changed while the graph was built; try again");
    return expected;
  }

  // Leaves the distinct keys in order in slice_.keys; returns how many there are.
  std::uint64_t sort(std::uint64_t count)
  {
    if (count == 0) return 0;
    int const bits = slice_.target_bits + std::bit_width(slice_.row_count - 1);
    cub::DoubleBuffer<Key> keys(keys_.data(), spare_keys_.data());
    device::with_scratch("sorting rows", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, count, 0, bits, stream_.handle());
    });
    device::with_scratch("dropping duplicates", [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::Unique(scratch, bytes, keys.Current(), keys.Alternate(), gathered_.data(),
                                       static_cast<std::int64_t>(count), stream_.handle());
    });
    slice_.keys = keys.Alternate();
    return value_at(gathered_, 0, stream_);
  }

  void append(std::uint64_t count)
  {
    device::launch_over(slice_.row_count, place_row_per_thread, stream_, slice_, count, written_, offsets_.data(),
                        static_cast<Vertex>(targets_of_.delegates),
                        RowsTarget{rows_.starts.data(), rows_.splits.data(), rows_.bases.data()});
    device::launch_over(count, write_target_per_thread<Targets>, stream_, slice_.keys, count, targets_of_,
                        rows_.targets.data() + written_);
    written_ += count;
  }

  // Every reader takes the size of the targets for the number of entries. Where a second array does not fit
  // beside the first, the tail stays taken.
  void shrink_targets()
  {
    if (rows_.targets.size() == written_) return;
    if (device::free_gpu_bytes() / sharing_ > written_ * sizeof(Target) + 4 * scratch_bytes) {
      device::Buffer<Target> exact(written_);
      device::copy_on_device(exact.data(), rows_.targets.data(), exact.bytes(), stream_);
      stream_.wait();
      rows_.targets = std::move(exact);
    } else {
      rows_.targets.truncate(written_);
    }
  }

  Targets targets_of_;
  std::uint64_t sharing_;
  const device::Stream& stream_;
  std::uint64_t row_count_;
  device::Buffer<EdgeIndex> offsets_;  // of rows, duplicates counted
  EdgeIndex entries_ = 0;              // likewise
  FinishedRows<Target> rows_;
  EdgeIndex written_ = 0;
  std::uint64_t capacity_ = 0;
  device::Buffer<Key> keys_, spare_keys_;
  device::Buffer<KeyCounter> gathered_{1};
  SliceView slice_{};
  std::vector<std::uint64_t> cuts_{0};
};

}  // namespace brushfire
