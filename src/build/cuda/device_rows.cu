// An entry is a key, (row, target slot), so sorting the keys of a slice of rows sorts the rows and every row's list at
// once, and brings duplicates together. Slots stand for targets until the keys are in order.
#include "build/cuda/device_rows.hpp"

#include "base/buffer.hpp"
#include "base/saturating.hpp"
#include "device/gpus.hpp"
#include "device/launch.cuh"

#include <brushfire/error.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/functional>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <vector>

namespace brushfire {

namespace {

using Counter = unsigned long long;  // what atomicAdd takes
using Key = std::uint64_t;

// Tuples at each row: those of its vertex; none at the Vertex row of a delegate, and none past the last row.
struct TuplesOfRow {
  const std::uint32_t* tuples;
  const Vertex* delegate_vertices;
  const Vertex* slot_of;
  std::uint64_t delegates, rows;

  __device__ std::uint64_t operator()(std::uint64_t row) const
  {
    if (row < delegates) return tuples[delegate_vertices[row]];
    if (row == rows) return 0;
    std::uint64_t const vertex = row - delegates;
    return slot_of[vertex] == row ? tuples[vertex] : 0;
  }
};

// Where rows would start if duplicates stayed: one more than rows.
device::Buffer<EdgeIndex> place_tuples(const device::Buffer<std::uint32_t>& tuples, const DeviceSlots& slots,
                                       const device::Stream& stream)
{
  std::uint64_t const rows = slots.rows();
  device::Buffer<EdgeIndex> offsets(rows + 1);
  auto const counts = thrust::make_transform_iterator(
      thrust::counting_iterator<std::uint64_t>(0),
      TuplesOfRow{tuples.data(), slots.delegate_vertices.data(), slots.slot_of.data(), slots.delegates, rows});
  device::with_scratch("placing rows", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts, offsets.data(), rows + 1, stream.handle());
  });
  return offsets;
}

__global__ void check_block_of_rows_per_thread(const EdgeIndex* offsets, std::uint64_t rows, unsigned* overfull)
{
  device::for_each_item((rows + rows_per_base - 1) / rows_per_base, [=](std::uint64_t block) {
    EdgeIndex const first = offsets[block * rows_per_base], last = offsets[min((block + 1) * rows_per_base, rows)];
    if (last - first > std::numeric_limits<std::uint32_t>::max()) *overfull = 1;
  });
}

void check_addressable(const device::Buffer<EdgeIndex>& offsets, const device::Stream& stream)
{
  std::uint64_t const rows = offsets.size() - 1;
  device::Buffer<unsigned> overfull(1);
  overfull.fill_bytes(0, stream);
  device::launch_over(rows / rows_per_base + 1, check_block_of_rows_per_thread, stream, offsets.data(), rows,
                      overfull.data());
  if (value_at(overfull, 0, stream) != 0)
    throw Error(ErrorKind::failure, std::to_string(rows_per_base) +
                                        " neighbouring rows hold more than 2^32-1 entries, "
                                        "which this build cannot address");
}

std::uint64_t largest_of(const device::Buffer<std::uint32_t>& tuples, const device::Stream& stream)
{
  device::Buffer<std::uint32_t> largest(1);
  device::with_scratch("finding the longest row", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(scratch, bytes, tuples.data(), largest.data(), std::uint64_t{tuples.size()},
                                     ::cuda::maximum<std::uint32_t>(), std::uint32_t{0}, stream.handle());
  });
  return value_at(largest, 0, stream);
}

// As many keys as there is room for beside the targets, up to all of them. A little is left for other programs.
std::uint64_t keys_in_slice(EdgeIndex entries, std::uint64_t longest_row, std::uint64_t most_keys)
{
  std::uint64_t const free = device::free_gpu_bytes();
  std::uint64_t const spoken_for = saturating_sum({entries * sizeof(Vertex), free / 16, 4 * scratch_bytes});
  std::uint64_t const room = free > spoken_for ? (free - spoken_for) / bytes_per_key : 0;
  return std::max(std::min({entries, most_keys, std::max(room, least_keys)}), longest_row);
}

// Consecutive rows, and where their keys are gathered.
struct SliceView {
  std::uint32_t first_row, row_count;
  int target_bits;
  std::uint64_t capacity;
  Key* keys;
  Counter* gathered;

  __device__ bool holds(Vertex slot) const { return slot - first_row < row_count; }
  __device__ Key key(Vertex slot, Vertex target) const { return Key{slot - first_row} << target_bits | target; }
};

// A warp looks at 256 tuples before it asks where to put their keys: one atomic operation for up to 512 keys, and
// neighbouring lanes write neighbouring keys.
__global__ __launch_bounds__(device::block_threads) void gather_keys_warp_per_tile(const VertexPair* pairs,
                                                                                   std::uint64_t count,
                                                                                   const Vertex* slot_of, RowsHold hold,
                                                                                   SliceView slice)
{
  constexpr unsigned warp_threads = 32, all_lanes = 0xffffffff;
  constexpr int tuples_per_lane = 8;
  unsigned const lane = threadIdx.x % warp_threads, lanes_before = (1u << lane) - 1;
  std::uint64_t const warps = std::uint64_t{gridDim.x} * blockDim.x / warp_threads;
  std::uint64_t const warp = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_threads;
  constexpr std::uint64_t tile = warp_threads * tuples_per_lane;
  for (std::uint64_t first = warp * tile; first < count; first += warps * tile) {
    Vertex source[tuples_per_lane], target[tuples_per_lane];
#pragma unroll
    for (int j = 0; j < tuples_per_lane; ++j) {
      std::uint64_t const i = first + j * warp_threads + lane;
      VertexPair const pair = i < count ? pairs[i] : VertexPair{0, 0};  // a self-loop, which adds nothing
      source[j] = slot_of[pair.source];
      target[j] = slot_of[pair.target];
    }
    unsigned to_source[tuples_per_lane], to_target[tuples_per_lane];  // lanes that add a key
    unsigned total = 0;
#pragma unroll
    for (int j = 0; j < tuples_per_lane; ++j) {
      bool const joins = source[j] != target[j];
      to_source[j] = __ballot_sync(all_lanes, joins && hold.at_source && slice.holds(source[j]));
      to_target[j] = __ballot_sync(all_lanes, joins && hold.at_target && slice.holds(target[j]));
      total += __popc(to_source[j]) + __popc(to_target[j]);
    }
    if (total == 0) continue;
    Counter place = lane == 0 ? atomicAdd(slice.gathered, Counter{total}) : 0;
    place = __shfl_sync(all_lanes, place, 0);
    // More keys than the degrees promised would be a source that changed; the caller finds out by their number.
    if (place + total > slice.capacity) continue;
#pragma unroll
    for (int j = 0; j < tuples_per_lane; ++j) {
      if ((to_source[j] >> lane & 1) != 0)
        slice.keys[place + __popc(to_source[j] & lanes_before)] = slice.key(source[j], target[j]);
      place += __popc(to_source[j]);
      if ((to_target[j] >> lane & 1) != 0)
        slice.keys[place + __popc(to_target[j] & lanes_before)] = slice.key(target[j], source[j]);
      place += __popc(to_target[j]);
    }
  }
}

__global__ void write_target_per_thread(const Key* keys, std::uint64_t count, int target_bits, Vertex delegates,
                                        Vertex* targets)
{
  Key const mask = (Key{1} << target_bits) - 1;
  device::for_each_item(count, [=](std::uint64_t i) {
    auto const slot = static_cast<Vertex>(keys[i] & mask);
    targets[i] = slot < delegates ? slot : slot - delegates;
  });
}

// The first of keys[low ... high-1] that is not below `key`, or high.
__device__ std::uint64_t lower_bound(const Key* keys, std::uint64_t low, std::uint64_t high, Key key)
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

struct RowsTarget {  // the arrays of a DeviceAdjacency being filled
  std::uint32_t* starts;
  std::uint32_t* splits;  // null without delegates
  std::uint64_t* bases;
};

__global__ void place_row_per_thread(SliceView slice, std::uint64_t count, EdgeIndex first_entry,
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
    std::uint64_t const split = lower_bound(slice.keys, start, end, first_key | delegates);
    rows.splits[row] = static_cast<std::uint32_t>(first_entry + split);
  });
}

// The rows of one direction.
class RowBuilder {
 public:
  RowBuilder(const DeviceEdges& edges, const DeviceSlots& slots, RowsHold hold,
             const device::Buffer<std::uint32_t>& tuples, std::uint64_t most_keys, const device::Stream& stream)
      : edges_(edges), slots_(slots), hold_(hold), stream_(stream), row_count_(slots.rows())
  {
    offsets_ = place_tuples(tuples, slots, stream);
    check_addressable(offsets_, stream);
    entries_ = value_at(offsets_, row_count_, stream);
    rows_.starts = device::Buffer<std::uint32_t>(row_count_ + 1);
    if (slots.delegates != 0) rows_.splits = device::Buffer<std::uint32_t>(row_count_);
    rows_.bases = device::Buffer<std::uint64_t>((row_count_ + rows_per_base - 1) / rows_per_base + 1);
    rows_.bases.fill_bytes(0, stream);  // as on the host, the last one is no row's
    capacity_ = keys_in_slice(entries_, largest_of(tuples, stream), most_keys);
    keys_ = device::Buffer<Key>(capacity_);
    spare_keys_ = device::Buffer<Key>(capacity_);
  }

  DeviceAdjacency build(Progress& progress)
  {
    std::vector<std::uint64_t> const cuts = cut_rows();
    std::uint64_t const slices = cuts.size() - 1;
    progress.begin("building rows", edges_.edges() * slices, "edges");
    for (std::uint64_t slice = 0; slice < slices; ++slice) {
      std::uint64_t const keys = gather(cuts[slice], cuts[slice + 1], progress);
      std::uint64_t const kept = sort(keys);
      // One slice: now the entries are known. Several: duplicates of later ones are not.
      if (slice == 0) rows_.targets = device::Buffer<Vertex>(slices == 1 ? kept : entries_);
      append(kept);
    }
    auto const end = static_cast<std::uint32_t>(written_);
    device::copy_to_device(rows_.starts.data() + row_count_, &end, sizeof(end), stream_);
    stream_.wait();
    keys_ = {};
    spare_keys_ = {};
    offsets_ = {};
    shrink_targets();
    progress.end();
    return std::move(rows_);
  }

 private:
  std::uint64_t target_bits() const { return std::bit_width(row_count_ - 1); }

  // Rows 0 = cuts[0] < cuts[1] < ... so that the tuples of each slice fit the keys.
  std::vector<std::uint64_t> cut_rows() const
  {
    std::vector<std::uint64_t> cuts{0};
    while (cuts.back() < row_count_) {
      EdgeIndex const most = value_at(offsets_, cuts.back(), stream_) + capacity_;
      std::uint64_t low = cuts.back() + 1, high = row_count_;  // the last row that starts at `most` or before
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

  std::uint64_t gather(std::uint64_t first_row, std::uint64_t last_row, Progress& progress)
  {
    gathered_.fill_bytes(0, stream_);
    slice_ = {static_cast<std::uint32_t>(first_row),
              static_cast<std::uint32_t>(last_row - first_row),
              static_cast<int>(target_bits()),
              capacity_,
              keys_.data(),
              gathered_.data()};
    std::uint64_t const expected = value_at(offsets_, last_row, stream_) - value_at(offsets_, first_row, stream_);
    if (expected == 0) return 0;
    edges_.for_each_block(stream_, [&](std::uint64_t, const VertexPair* pairs, std::uint64_t count) {
      device::launch_over((count + 7) / 8, gather_keys_warp_per_tile, stream_, pairs, count, slots_.slot_of.data(),
                          hold_, slice_);
      progress.advance(count);
    });
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
                        slots_.delegates, RowsTarget{rows_.starts.data(), rows_.splits.data(), rows_.bases.data()});
    device::launch_over(count, write_target_per_thread, stream_, slice_.keys, count, slice_.target_bits,
                        slots_.delegates, rows_.targets.data() + written_);
    written_ += count;
  }

  // Every reader takes the size of the targets for the number of entries. Where a second array does not fit
  // beside the first, the entries wait on the host.
  void shrink_targets()
  {
    if (rows_.targets.size() == written_) return;
    if (device::free_gpu_bytes() > written_ * sizeof(Vertex) + 4 * scratch_bytes) {
      device::Buffer<Vertex> exact(written_);
      device::copy_on_device(exact.data(), rows_.targets.data(), exact.bytes(), stream_);
      stream_.wait();
      rows_.targets = std::move(exact);
    } else {
      rows_.targets.truncate(written_);
    }
  }

  const DeviceEdges& edges_;
  const DeviceSlots& slots_;
  RowsHold hold_;
  const device::Stream& stream_;
  std::uint64_t row_count_;
  device::Buffer<EdgeIndex> offsets_;  // of rows, duplicates counted
  EdgeIndex entries_ = 0;              // likewise
  DeviceAdjacency rows_;
  EdgeIndex written_ = 0;
  std::uint64_t capacity_ = 0;
  device::Buffer<Key> keys_, spare_keys_;
  device::Buffer<Counter> gathered_{1};
  SliceView slice_{};
};

}  // namespace

DeviceAdjacency build_rows(const DeviceEdges& edges, const DeviceSlots& slots, RowsHold hold,
                           const device::Buffer<std::uint32_t>& tuples, std::uint64_t most_keys,
                           const device::Stream& stream, Progress& progress)
{
  return RowBuilder(edges, slots, hold, tuples, most_keys, stream).build(progress);
}

}  // namespace brushfire
