// Codes of adjacency lists for decode_rate.cu. A run is a list of rising numbers; a code opens a run by its number and
// has any entry of it. Run r holds delegates where r is even, else normal vertices.
#pragma once

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>

#include <cstdint>

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 padding = 16;  // words behind the last that may be read

__device__ inline u64 thread_number() { return blockIdx.x * u64{blockDim.x} + threadIdx.x; }
__device__ inline u64 threads() { return gridDim.x * u64{blockDim.x}; }

__device__ inline u64 holder(const u64* starts, u64 count, u64 position)  // the last that starts there or before
{
  return static_cast<u64>(thrust::upper_bound(thrust::seq, starts, starts + count, position) - starts) - 1;
}

__device__ inline u32 bits_at(const u32* words, u64 bit, u32 width)
{
  const u32* const at = words + bit / 32;
  return __funnelshift_r(at[0], at[1], bit % 32) & ((1u << width) - 1);
}

struct Plain {
  const u32* words;
  const u64* starts;
  struct Run {
    u64 start;
    u32 length;
  };
  __device__ Run open(u32 run) const { return {starts[run], static_cast<u32>(starts[run + 1] - starts[run])}; }
  __device__ u32 entry(const Run& run, u32 i) const { return __ldcs(words + run.start + i); }
};

// Ranks and vertices in as many bits as the largest has.
struct Fixed {
  const u32* words;
  const u64* starts;  // bits
  u32 widths[2];
  struct Run {
    u64 start;
    u32 length, width;
  };
  __device__ Run open(u32 run) const
  {
    u32 const width = run % 2 == 0 ? widths[0] : widths[1];
    return {starts[run], static_cast<u32>(starts[run + 1] - starts[run]) / width, width};
  }
  __device__ u32 entry(const Run& run, u32 i) const
  {
    return bits_at(words, run.start + u64{i} * run.width, run.width);
  }
};

__global__ static void write_fixed_entry_per_thread(Fixed to, Plain from, u64 runs, u64 entries, u32* words)
{
  for (u64 e = thread_number(); e < entries; e += threads()) {
    u64 const run = holder(from.starts, runs + 1, e);
    u64 const bit = to.starts[run] + (e - from.starts[run]) * to.widths[run % 2];
    u64 const value = u64{from.words[e]} << bit % 32;
    atomicOr(words + bit / 32, static_cast<u32>(value));
    atomicOr(words + bit / 32 + 1, static_cast<u32>(value >> 32));
  }
}

// Blocks of 32: the first entry, then the others less the first in as many bits as the largest needs. A run starts with
// a word for each block: where it is, in words from there, but the first has the length of the run; and in the low 5
// bits the width.
struct Offsets {
  const u32* words;
  const u64* starts;  // words
  struct Run {
    u64 start;
    u32 length;
  };
  __device__ Run open(u32 run) const
  {
    u64 const start = starts[run];
    return {start, start == starts[run + 1] ? 0 : words[start] >> 5};
  }
  struct Block {
    const u32* data;
    u32 width;
    __device__ u32 beyond_first(u32 i) const { return i == 0 ? 0 : bits_at(data + 1, u64{i - 1} * width, width); }
  };
  __device__ Block block(const Run& run, u32 index) const
  {
    u32 const head = words[run.start + index];
    return {words + run.start + (index == 0 ? (run.length + 31) / 32 : head >> 5), head & 31};
  }
  __device__ u32 entry(const Run& run, u32 i) const
  {
    Block const its_block = block(run, i / 32);
    return its_block.data[0] + its_block.beyond_first(i % 32);
  }
};

// The first k entries of a run, as a pull reads them.
template <typename Code, u32 k>
__device__ void read_first(Code code, const typename Code::Run& run, u32 (&values)[k])
{
#pragma unroll
  for (u32 i = 0; i < k; ++i)
    if (i < run.length) values[i] = code.entry(run, i);
}
template <u32 k>
__device__ void read_first(Offsets code, const Offsets::Run& run, u32 (&values)[k])  // k <= 32
{
  if (run.length == 0) return;
  Offsets::Block const block = code.block(run, 0);
  u32 const first = block.data[0];
#pragma unroll
  for (u32 i = 0; i < k; ++i)
    if (i < run.length) values[i] = first + block.beyond_first(i);
}
template <u32 k>
__device__ void read_first(Plain code, const Plain::Run& run, u32 (&values)[k])
{
  uint4 line{};  // 16 bytes a load
#pragma unroll
  for (u32 i = 0; i < k; ++i) {
    u64 const at = run.start + i;
    if (i < run.length && (i == 0 || at % 4 == 0)) line = __ldcs(reinterpret_cast<const uint4*>(code.words) + at / 4);
    values[i] = at % 4 < 2 ? (at % 2 == 0 ? line.x : line.y) : (at % 2 == 0 ? line.z : line.w);
  }
}

// What the parts of a run are: bits of a width by kind, or blocks of so many entries.
__global__ static void measure_run_per_thread(const u64* starts, u64 runs, u32 even, u32 odd, u32 unit, u64* sizes)
{
  for (u64 run = thread_number(); run < runs; run += threads())
    sizes[run] = ((starts[run + 1] - starts[run]) * (run % 2 == 0 ? even : odd) + unit - 1) / unit;
}

// Without `words` the size of a block goes to `places`, its word at the head of the run included; with `words` that has
// the sums of the sizes before. No entry comes twice, so a block of several has a width, and writes no word but its
// own.
__global__ static void write_block_per_thread(Plain from, const u64* first_blocks, u64 runs, u64 blocks, u64* places,
                                              u32* words)
{
  for (u64 b = thread_number(); b < blocks; b += threads()) {
    u64 const run = holder(first_blocks, runs + 1, b), index = b - first_blocks[run];
    u32 const length = static_cast<u32>(from.starts[run + 1] - from.starts[run]);
    const u32* const entries = from.words + from.starts[run] + index * 32;
    u32 const count = min(32u, length - static_cast<u32>(index) * 32);
    u32 const width = 32 - __clz(entries[count - 1] - entries[0]);
    if (words == nullptr) {
      places[b] = 2 + ((count - 1) * width + 31) / 32;
      continue;
    }
    u64 const start = places[first_blocks[run]], heads = first_blocks[run + 1] - first_blocks[run];
    u64 const data = places[b] + heads - index;  // the heads of the blocks before are counted in places
    words[start + index] = static_cast<u32>(index == 0 ? length : data - start) << 5 | width;
    words[data] = entries[0];
    for (u32 i = 1; i < count; ++i) {
      u32 const bit = (i - 1) * width, value = entries[i] - entries[0];
      words[data + 1 + bit / 32] |= value << bit % 32;
      if (bit % 32 + width > 32) words[data + 2 + bit / 32] |= value >> (32 - bit % 32);
    }
  }
}
