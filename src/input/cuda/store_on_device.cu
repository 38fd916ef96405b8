// The stored tuple list of a conforming run, in device memory. Packed as in the files of the reference: the low halves
// of both labels, then a word with bits 32 to 47 of both. A pass unpacks it block by block.
#include "device/buffer.hpp"
#include "device/launch.cuh"
#include "input/cuda/device_edges.hpp"
#include "input/cuda/tuples_on_device.hpp"

#include <algorithm>
#include <mutex>

namespace brushfire {

namespace {

constexpr std::uint64_t tuples_in_block = std::uint64_t{1}
                                          << 22;  // 32 MiB of pairs: still in the L2 of an H200 when used

struct PackedTuple {
  std::uint32_t source_low, target_low, high;
};
static_assert(sizeof(PackedTuple) == 12);

__global__ void pack_thread_per_wide_tuple(const IndexPair* pairs, std::uint64_t count, PackedTuple* packed)
{
  device::for_each_item(count, [=](std::uint64_t i) {
    auto const [source, target] = pairs[i];
    packed[i] = {static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(target),
                 static_cast<std::uint32_t>(source >> 32 | target >> 32 << 16)};
  });
}

__global__ void unpack_thread_per_wide_tuple(const PackedTuple* packed, std::uint64_t count, IndexPair* pairs)
{
  device::for_each_item(count, [=](std::uint64_t i) {
    PackedTuple const tuple = packed[i];
    pairs[i] = {tuple.source_low | std::uint64_t{tuple.high & 0xffff} << 32,
                tuple.target_low | std::uint64_t{tuple.high >> 16} << 32};
  });
}

__global__ void pack_thread_per_tuple(const VertexPair* pairs, std::uint64_t count, PackedTuple* packed)
{
  // The list has room for labels of 48 bits; a Vertex never needs the high halves.
  device::for_each_item(count, [=](std::uint64_t i) { packed[i] = {pairs[i].source, pairs[i].target, 0}; });
}

__global__ void unpack_thread_per_tuple(const PackedTuple* packed, std::uint64_t count, VertexPair* pairs)
{
  device::for_each_item(count, [=](std::uint64_t i) { pairs[i] = {packed[i].source_low, packed[i].target_low}; });
}

class StoredOnDevice final : public DeviceEdges {
 public:
  StoredOnDevice(const DeviceEdges& edges, const device::Stream& stream)
      : packed_(edges.edges()), block_(std::min(edges.edges(), tuples_in_block))
  {
    edges.for_each_block(stream, [&](std::uint64_t first, const VertexPair* pairs, std::uint64_t count) {
      device::launch_over(count, pack_thread_per_tuple, stream, pairs, count, packed_.data() + first);
    });
    stream.wait();
  }

  std::uint64_t edges() const override { return packed_.size(); }

  void for_each_block(const device::Stream& stream, const Use& use) const override
  {
    std::lock_guard const alone(mutex_);
    for (std::uint64_t first = 0; first < edges(); first += tuples_in_block) {
      std::uint64_t const count = std::min(tuples_in_block, edges() - first);
      device::launch_over(count, unpack_thread_per_tuple, stream, packed_.data() + first, count, block_.data());
      use(first, block_.data(), count);
    }
    stream.wait();  // the next pass may use another stream
  }

 private:
  device::Buffer<PackedTuple> packed_;
  mutable std::mutex mutex_;  // one pass at a time has the block
  mutable device::Buffer<VertexPair> block_;
};

class StoredTuples final : public TuplesOnDevice {
 public:
  StoredTuples(TuplesOnDevice& tuples, const device::Stream& stream) : packed_(tuples.size())
  {
    device::Buffer<IndexPair> block(std::min(tuples.size(), tuples_in_block));
    for (std::uint64_t first = 0; first < size(); first += tuples_in_block) {
      std::uint64_t const count = std::min(tuples_in_block, size() - first);
      tuples.read(first, count, block.data(), stream);
      device::launch_over(count, pack_thread_per_wide_tuple, stream, block.data(), count, packed_.data() + first);
    }
    stream.wait();  // before the block goes
  }

  std::uint64_t size() const override { return packed_.size(); }

  void read(std::uint64_t first, std::uint64_t count, IndexPair* pairs, const device::Stream& stream) override
  {
    device::launch_over(count, unpack_thread_per_wide_tuple, stream, packed_.data() + first, count, pairs);
  }

 private:
  device::Buffer<PackedTuple> packed_;
};

}  // namespace

std::unique_ptr<TuplesOnDevice> store_tuples(TuplesOnDevice& tuples, const device::Stream& stream)
{
  return std::make_unique<StoredTuples>(tuples, stream);
}

std::shared_ptr<const DeviceEdges> store_on_device(const DeviceEdges& edges, const device::Stream& stream)
{
  return std::make_shared<StoredOnDevice>(edges, stream);
}

}  // namespace brushfire
