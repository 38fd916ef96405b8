// The rows of a device alone. Rows are numbered by slot, and slots stand for targets until the keys are in order; each
// slice of rows takes its keys from all tuples, in a pass of its own.
#include "build/cuda/device_rows.hpp"

#include "build/cuda/row_builder.cuh"
#include "device/launch.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include <bit>
#include <utility>

namespace brushfire {

namespace {

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
    KeyCounter place = lane == 0 ? atomicAdd(slice.gathered, KeyCounter{total}) : 0;
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

}  // namespace

void throw_overfull_base()
{
  throw Error(ErrorKind::failure, std::to_string(rows_per_base) +
                                      " neighbouring rows hold more than 2^32-1 entries, "
                                      "which this build cannot address");
}

DeviceAdjacency build_rows(const DeviceEdges& edges, const DeviceSlots& slots, RowsHold hold,
                           const device::Buffer<std::uint32_t>& tuples, std::uint64_t most_keys,
                           const device::Stream& stream, Progress& progress)
{
  int const target_bits = std::bit_width(slots.rows() - 1);
  RowBuilder<TargetOfSlot> rows(place_tuples(tuples, slots, stream), {target_bits, slots.delegates}, 1, stream);
  rows.cut(keys_in_slice(rows.entries(), sizeof(Vertex), largest_of(tuples, stream), most_keys, 1));
  progress.begin("building rows", edges.edges() * rows.slices(), "edges");
  auto finished = rows.build(rows.slices(), [&](const SliceView& slice, std::uint64_t expected) {
    if (expected == 0) return;
    edges.for_each_block(stream, [&](std::uint64_t, const VertexPair* pairs, std::uint64_t count) {
      device::launch_over((count + 7) / 8, gather_keys_warp_per_tile, stream, pairs, count, slots.slot_of.data(), hold,
                          slice);
      progress.advance(count);
    });
  });
  progress.end();
  return adjacency_of(std::move(finished));
}

}  // namespace brushfire
