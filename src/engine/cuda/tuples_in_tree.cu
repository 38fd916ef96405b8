#include "engine/cuda/tuples_in_tree.hpp"

#include "device/launch.cuh"

namespace brushfire {

namespace {

__global__ void sum_values_in_tree(device::ParentsOnDevice parents, const std::uint32_t* values,
                                   unsigned long long* sum)
{
  unsigned long long part = 0;
  device::for_each_item(parents.size, [&](std::uint64_t v) {
    bool const in_tree = parents.wide != nullptr ? parents.wide[v] >= 0 : parents.narrow[v] >= 0;
    if (in_tree) part += values[v];
  });
  for (int offset = 16; offset != 0; offset /= 2) part += __shfl_down_sync(0xffffffffu, part, offset);
  if (threadIdx.x % 32 == 0 && part != 0) atomicAdd(sum, part);
}

}  // namespace

std::uint64_t sum_over_tree(device::ParentsOnDevice parents, const std::uint32_t* values, const device::Stream& stream)
{
  device::Buffer<unsigned long long> sum(1);
  sum.fill_bytes(0, stream);
  constexpr std::uint64_t threads = 1 << 19;  // enough to fill any GPU; each adds once
  device::launch_over(std::min(parents.size, threads), sum_values_in_tree, stream, parents, values, sum.data());
  return device::value_at(sum, 0, stream);
}

std::uint64_t tuples_in_tree(const DeviceLayout& layout, device::ParentsOnDevice parents, const device::Stream& stream)
{
  std::uint64_t const ends = sum_over_tree(parents, layout.input_degrees.data(), stream);
  return layout.directed ? ends : ends / 2;
}

}  // namespace brushfire
