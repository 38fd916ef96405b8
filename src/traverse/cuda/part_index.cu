#include "traverse/cuda/part_index.hpp"

#include "build/cuda/far_rows_view.cuh"
#include "build/cuda/rows_view.cuh"
#include "device/launch.cuh"

namespace brushfire::cuda {

namespace {

// Nothing in the part leads to these slots, but something elsewhere may: delegates that have lists here, and vertices
// that others have in theirs. A warp per word.
__global__ void let_wait_warp_per_word(RowsView out, FarRowsView far, std::uint32_t normal_base, std::uint64_t slots,
                                       std::uint32_t* never, unsigned long long* let)
{
  device::for_each_item((slots + 31) / 32 * 32, [&](std::uint64_t i) {
    auto const slot = static_cast<std::uint32_t>(i);
    bool const idle = (never[i / 32] >> (i % 32) & 1) != 0;
    bool waits = false;
    if (idle && slot < out.delegates) waits = out.length(slot) != 0;
    if (idle && slot >= normal_base && i < slots) waits = far.length(slot - normal_base) != 0;
    unsigned const waiting = __ballot_sync(0xffffffffu, waits);
    if (threadIdx.x % 32 != 0 || waiting == 0) return;
    never[i / 32] &= ~waiting;
    atomicAdd(let + (slot < normal_base ? 0 : 1), static_cast<unsigned long long>(__popc(waiting)));
  });
}

}  // namespace

SearchIndex index_part(const DevicePart& part, const device::Stream& stream)
{
  SearchIndex index(part.layout, stream);
  device::Buffer<unsigned long long> let(2);
  let.fill_bytes(0, stream);
  device::launch_over(index.never.size() * 32, let_wait_warp_per_word, stream,
                      rows_view(part.layout.out, part.layout.delegates), far_rows_view(part.incoming()),
                      index.normal_base, index.firsts.size(), index.never.data(), let.data());
  auto const found = device::to_vector(let, 2, stream);
  index.searchable_delegates += found[0];
  index.searchable_normals += found[1];
  return index;
}

}  // namespace brushfire::cuda
