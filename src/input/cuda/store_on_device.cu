// The stored tuple list of a conforming run, in device memory. Packed as in the files of the reference: the low halves
// of both labels, then a word with bits 32 to 47 of both. A pass unpacks it block by block.
#include "device/buffer.hpp"
#include "device/launch.cuh"
#include "input/cuda/device_edges.hpp"

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

}  // namespace

std::shared_ptr<const DeviceEdges> store_on_device(const DeviceEdges& edges, const device::Stream& stream)
{
  return std::make_shared<StoredOnDevice>(edges, stream);
}

}  // namespace brushfire
