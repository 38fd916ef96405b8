// Codes of adjacency lists for decode_rate.cu. A run is a list of rising numbers; a code opens a run by its number, has
// any entry of it, and reads its first k as a pull does. Run r holds delegates where r is even, else normal vertices.
#pragma once

#include <cstdint>

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 padding = 16;  // words behind the last that may be read

__device__ inline u64 thread_number() { return blockIdx.x * u64{blockDim.x} + threadIdx.x; }
__device__ inline u64 threads() { return gridDim.x * u64{blockDim.x}; }

// The first i with values[i] >= value, of `count` rising ones; count without one.
__device__ inline u64 first_not_below(const u64* values, u64 count, u64 value)
{
  u64 low = 0;
  for (u64 high = count; low < high;) {
    u64 const middle = (low + high) / 2;
    if (values[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
__device__ inline u64 holder(const u64* starts, u64 count, u64 position)
{
  return first_not_below(starts, count, position + 1) - 1;
}

__device__ inline u32 bits_at(const u32* words, u64 bit, u32 width)
{
  const u32* const at = words + bit / 32;
  return __funnelshift_r(at[0], at[1], bit % 32) & ((1u << width) - 1);
}

struct Plain {
  static constexpr bool any_entry = true;  // at the same cost
  const u32* words;
  const u64* starts;
  struct Run {
    u64 start;
    u32 length;
  };
  __device__ Run open(u32 run) const { return {starts[run], static_cast<u32>(starts[run + 1] - starts[run])}; }
  __device__ u32 entry(const Run& run, u32 i) const { return __ldcs(words + run.start + i); }
  template <u32 k>
  __device__ void read_first(const Run& run, u32 (&values)[k]) const
  {
    uint4 line{};  // 16 bytes a load
#pragma unroll
    for (u32 i = 0; i < k; ++i) {
      u64 const at = run.start + i;
      if (i < run.length && (i == 0 || at % 4 == 0)) line = __ldcs(reinterpret_cast<const uint4*>(words) + at / 4);
      values[i] = at % 4 < 2 ? (at % 2 == 0 ? line.x : line.y) : (at % 2 == 0 ? line.z : line.w);
    }
  }
};

// Ranks and vertices in as many bits as the largest has.
struct Fixed {
  static constexpr bool any_entry = true;
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
  template <u32 k>
  __device__ void read_first(const Run& run, u32 (&values)[k]) const
  {
#pragma unroll
    for (u32 i = 0; i < k; ++i)
      if (i < run.length) values[i] = entry(run, i);
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

// Blocks of 32: the first entry, then the others less the first, or less the one before and 1, in as many bits as the
// largest needs. A run starts with a word for each block: where it is, in words from there, but the first has the
// length of the run; and in the low 5 bits the width.
template <bool gaps>
struct Blocks {
  static constexpr bool any_entry = !gaps;
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
    __device__ u32 value(u32 i) const { return i == 0 ? 0 : bits_at(data + 1, u64{i - 1} * width, width) + gaps; }
  };
  __device__ Block block(const Run& run, u32 index) const
  {
    u32 const head = words[run.start + index];
    return {words + run.start + (index == 0 ? (run.length + 31) / 32 : head >> 5), head & 31};
  }
  __device__ u32 entry(const Run& run, u32 i) const  // not of gaps
  {
    Block const its_block = block(run, i / 32);
    return its_block.data[0] + its_block.value(i % 32);
  }
  template <u32 k>
  __device__ void read_first(const Run& run, u32 (&values)[k]) const
  {
    if (run.length == 0) return;
    Block const first = block(run, 0);
    u32 sum = first.data[0];
#pragma unroll
    for (u32 i = 0; i < k; ++i)
      if (i < run.length) values[i] = gaps ? sum += first.value(i) : sum + first.value(i);
  }
};

// What the parts of a run are: bits of a width by kind, or blocks of so many entries.
__global__ static void measure_run_per_thread(const u64* starts, u64 runs, u32 even, u32 odd, u32 unit, u64* sizes)
{
  for (u64 run = thread_number(); run < runs; run += threads())
    sizes[run] = ((starts[run + 1] - starts[run]) * (run % 2 == 0 ? even : odd) + unit - 1) / unit;
}

// Block b of all is one of `run`. Without `words` its size goes to `places`, its word at the head of the run included;
// with `words` that has the sums of the sizes before.
template <bool gaps>
__global__ void write_block_per_thread(Plain from, const u64* first_blocks, u64 runs, u64 blocks, u64* places,
                                       u32* words)
{
  for (u64 b = thread_number(); b < blocks; b += threads()) {
    u64 const run = holder(first_blocks, runs + 1, b), index = b - first_blocks[run];
    u32 const length = static_cast<u32>(from.starts[run + 1] - from.starts[run]);
    const u32* const entries = from.words + from.starts[run] + index * 32;
    u32 const count = min(32u, length - static_cast<u32>(index) * 32);
    auto const value = [=](u32 i) { return gaps ? entries[i] - entries[i - 1] - 1 : entries[i] - entries[0]; };
    u32 largest = 0;
    for (u32 i = 1; i < count; ++i) largest = max(largest, value(i));
    u32 const width = 32 - __clz(largest);
    if (words == nullptr) {
      places[b] = 2 + ((count - 1) * width + 31) / 32;
      continue;
    }
    u64 const start = places[first_blocks[run]], heads = first_blocks[run + 1] - first_blocks[run];
    u64 const data = places[b] + heads - index;  // the heads of the blocks before are counted in places
    words[start + index] = static_cast<u32>(index == 0 ? length : data - start) << 5 | width;
    words[data] = entries[0];
    for (u32 i = 1; i < count; ++i) {
      u32 const bit = (i - 1) * width;
      words[data + 1 + bit / 32] |= value(i) << bit % 32;
      if (bit % 32 + width > 32) words[data + 2 + bit / 32] |= value(i) >> (32 - bit % 32);
    }
  }
}
