#include "engine/cuda/tuples_in_tree.hpp"

#include "build/cuda/rows_view.cuh"
#include "device/launch.cuh"

namespace brushfire {

namespace {

__device__ bool in_tree(const device::ParentsOnDevice& parents, std::uint64_t v)
{
  return parents.wide != nullptr ? parents.wide[v] >= 0 : parents.narrow[v] >= 0;
}

__device__ void add_to(unsigned long long* sum, unsigned long long part)
{
  for (int offset = 16; offset != 0; offset /= 2) part += __shfl_down_sync(0xffffffffu, part, offset);
  if (threadIdx.x % 32 == 0 && part != 0) atomicAdd(sum, part);
}

__global__ void sum_values_in_tree(device::ParentsOnDevice parents, const std::uint32_t* values,
                                   unsigned long long* sum)
{
  unsigned long long part = 0;
  device::for_each_item(parents.size, [&](std::uint64_t v) {
    if (in_tree(parents, v)) part += values[v];
  });
  add_to(sum, part);
}

// The values stand by row; a vertex without one has none.
__global__ void sum_rows_in_tree(device::ParentsOnDevice parents, RowNumbersView numbers,
                                 const Vertex* delegate_vertices, const std::uint32_t* values, unsigned long long* sum)
{
  unsigned long long part = 0;
  device::for_each_item(numbers.delegates + parents.size, [&](std::uint64_t i) {
    if (i < numbers.delegates)
      part += in_tree(parents, delegate_vertices[i]) ? values[i] : 0;
    else if (auto const v = static_cast<Vertex>(i - numbers.delegates); in_tree(parents, v) && numbers.has_row(v))
      part += values[numbers.row_of(v)];
  });
  add_to(sum, part);
}

constexpr std::uint64_t most_threads = 1 << 19;  // enough to fill any GPU; each adds once

}  // namespace

std::uint64_t sum_over_tree(device::ParentsOnDevice parents, const std::uint32_t* values, const device::Stream& stream)
{
  device::Buffer<unsigned long long> sum(1);
  sum.fill_bytes(0, stream);
  device::launch_over(std::min(parents.size, most_threads), sum_values_in_tree, stream, parents, values, sum.data());
  return device::value_at(sum, 0, stream);
}

std::uint64_t tuples_in_tree(const DeviceLayout& layout, device::ParentsOnDevice parents, const device::Stream& stream)
{
  const std::uint32_t* const degrees = layout.input_degrees.data();
  std::uint64_t ends = 0;
  if (layout.row_words.size() == 0) {
    ends = sum_over_tree(parents, degrees, stream);
  } else {
    device::Buffer<unsigned long long> sum(1);
    sum.fill_bytes(0, stream);
    device::launch_over(std::min(parents.size, most_threads), sum_rows_in_tree, stream, parents, row_numbers(layout),
                        layout.delegate_vertices.data(), degrees, sum.data());
    ends = device::value_at(sum, 0, stream);
  }
  return layout.directed ? ends : ends / 2;
}

}  // namespace brushfire
