#include "traverse/cuda/part_index.hpp"

#include "build/cuda/far_rows_view.cuh"
#include "build/cuda/rows_view.cuh"
#include "device/launch.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>

namespace brushfire::cuda {

namespace {

// Nothing in the part leads to these slots, but something elsewhere may: delegates, whose bits devices exchange as they
// are, and vertices that others have in their lists. A warp per word.
__global__ void let_wait_warp_per_word(FarRowsView far, Vertex delegates, std::uint32_t normal_base,
                                       std::uint64_t slots, std::uint32_t* never, unsigned long long* let)
{
  device::for_each_item((slots + 31) / 32 * 32, [&](std::uint64_t i) {
    auto const slot = static_cast<std::uint32_t>(i);
    bool const idle = (never[i / 32] >> (i % 32) & 1) != 0;
    bool waits = idle && slot < delegates;
    if (idle && slot >= normal_base && i < slots) waits = far.length(slot - normal_base) != 0;
    unsigned const waiting = __ballot_sync(0xffffffffu, waits);
    if (threadIdx.x % 32 != 0 || waiting == 0) return;
    never[i / 32] &= ~waiting;
    atomicAdd(let + (slot < normal_base ? 0 : 1), static_cast<unsigned long long>(__popc(waiting)));
  });
}

__global__ void mark_home_warp_per_word(const FarVertex* homes, Vertex delegates, int device, std::uint64_t words,
                                        std::uint32_t* bits)
{
  device::for_each_item(words * 32, [&](std::uint64_t i) {
    unsigned const here = __ballot_sync(0xffffffffu, i < delegates && device_of(homes[i]) == device);
    if (threadIdx.x % 32 == 0) bits[i / 32] = here;
  });
}

struct LivesHere {
  const std::uint32_t* bits;
  __device__ bool operator()(Vertex rank) const { return (bits[rank / 32] >> (rank % 32) & 1) != 0; }
};

}  // namespace

PartIndex::PartIndex(const DevicePart& part, const device::Stream& stream)
    : search(part.layout, stream),
      home_bits(search.normal_base / 32),
      at_home(part.homes_before[static_cast<std::size_t>(part.device) + 1] -
              part.homes_before[static_cast<std::size_t>(part.device)])
{
  Vertex const delegates = part.layout.delegates;
  device::Buffer<unsigned long long> let(2);
  let.fill_bytes(0, stream);
  device::launch_over(search.never.size() * 32, let_wait_warp_per_word, stream, far_rows_view(part.incoming()),
                      delegates, search.normal_base, search.firsts.size(), search.never.data(), let.data());
  auto const found = device::to_vector(let, 2, stream);
  search.searchable_delegates += found[0];
  search.searchable_normals += found[1];

  device::launch_over(home_bits.size() * 32, mark_home_warp_per_word, stream, part.homes.data(), delegates, part.device,
                      home_bits.size(), home_bits.data());
  device::Buffer<Vertex> count(1);
  device::with_scratch("listing delegates", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<Vertex>(0), at_home.data(), count.data(),
                                 static_cast<std::int64_t>(delegates), LivesHere{home_bits.data()}, stream.handle());
  });
  stream.wait();
}

}  // namespace brushfire::cuda
