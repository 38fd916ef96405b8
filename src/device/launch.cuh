// Launches, each checked, and the shapes they usually have.
#pragma once

#include "device/buffer.hpp"
#include "device/check.hpp"
#include "device/stream.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace brushfire::device {

inline constexpr unsigned block_threads = 256;

// Blocks for so many items, a few of which, or in a loop more, each block takes.
inline unsigned blocks_for(std::uint64_t items, std::uint64_t per_block, std::uint64_t most)
{
  return static_cast<unsigned>(std::min((items + per_block - 1) / per_block, most));
}

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, const Stream& stream,
            Arguments&&... arguments)
{
  if (blocks == 0) return;
  kernel<<<blocks, threads, 0, stream.handle()>>>(static_cast<Parameters>(arguments)...);
  check(cudaGetLastError(), "launching a kernel");
}

// One thread per item, as many as the device holds comfortably; the kernel loops over the rest (see for_each_item).
template <typename... Parameters, typename... Arguments>
void launch_over(std::uint64_t items, void (*kernel)(Parameters...), const Stream& stream, Arguments&&... arguments)
{
  constexpr std::uint64_t most_blocks = 1 << 16;
  launch(kernel, blocks_for(items, block_threads, most_blocks), block_threads, stream,
         std::forward<Arguments>(arguments)...);
}

// The grid-stride loop of a kernel started by launch_over().
template <typename Body>
__device__ void for_each_item(std::uint64_t items, Body&& body)
{
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < items; i += stride) body(i);
}

// CUB's two calls, how much and then do: call(scratch, bytes).
template <typename Call>
void with_scratch(const char* doing, Call&& call)
{
  std::size_t bytes = 0;
  check(call(nullptr, bytes), doing);
  Buffer<std::byte> scratch(std::max<std::size_t>(bytes, 1));
  check(call(scratch.data(), bytes), doing);
}

}  // namespace brushfire::device
