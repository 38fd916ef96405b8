// Rows of a Kronecker graph (0.57, 0.19, 0.19) for decode_rate.cu, drawn without the graph. The degree of a vertex is a
// Poisson number whose mean depends only on how many bits of its id are set, and its neighbours are drawn bit by bit
// given its own. Ids with few bits set have the highest degrees: they are the delegates.
#pragma once

#include "codes.cuh"

#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

template <typename T>
using Array = thrust::device_vector<T>;

constexpr u32 block_threads = 256;

inline void check(cudaError_t error)
{
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

template <typename T>
T* raw(Array<T>& array)
{
  return thrust::raw_pointer_cast(array.data());
}

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), u64 items, Arguments... arguments)
{
  unsigned const blocks = static_cast<unsigned>(std::clamp<u64>(items / block_threads + 1, 1, 1 << 13));
  kernel<<<blocks, block_threads>>>(arguments...);
  check(cudaGetLastError());
}

struct Shape {
  explicit Shape(int its_scale);

  int scale;
  u32 delegates, widths[2];            // bits of a rank and of a normal vertex
  u64 numbered;                        // vertices that have edges
  u32 choose[32][32], first_rank[32];  // binomial coefficients; first rank of the ids with so many bits set

  double mean_degree(int ones) const
  {
    return std::pow(2, scale + 5) * std::pow(0.24, ones) * std::pow(0.76, scale - ones);
  }
  __host__ __device__ u32 scramble(u32 id) const  // a bijection
  {
    for (u32 factor : {0x9E3779B1u, 0x85EBCA77u, 0xC2B2AE3Du}) {
      id = id * factor & ((1u << scale) - 1);
      id ^= id >> (scale / 2 + 1);
    }
    return id;
  }
  // Of one of the rows that are drawn; not from 0 on, because 0 is the greatest hub.
  __host__ __device__ u32 id_of(u64 row, u64 rows) const
  {
    return scramble(static_cast<u32>((u64{1} << scale) - rows + row));
  }
  __device__ u32 slot(u32 id) const  // delegates by rank, then vertices
  {
    u32 rank = first_rank[__popc(id)], taken = 0;
    for (u32 rest = id; rest != 0; rest &= rest - 1) rank += choose[__ffs(rest) - 1][++taken];
    return rank < delegates ? rank : delegates + static_cast<u32>(scramble(id) * numbered >> scale);
  }
};

inline Shape::Shape(int its_scale) : scale(its_scale), choose{}, first_rank{}
{
  u64 const vertices = u64{1} << scale;
  delegates = static_cast<u32>(std::min<u64>(vertices / 16, u64{1} << 21));  // as many as a build on a GPU allows
  for (u32 n = 0; n < 32; ++n)
    for (u32 k = 0; k <= n; ++k) choose[n][k] = k == 0 ? 1 : choose[n - 1][k - 1] + choose[n - 1][k];
  double with_edges = 0;
  for (int ones = 0; ones <= scale; ++ones) {
    if (ones != 0) first_rank[ones] = first_rank[ones - 1] + choose[scale][ones - 1];
    with_edges += choose[scale][ones] * -std::expm1(-mean_degree(ones));
  }
  numbered = static_cast<u64>(with_edges);
  widths[0] = static_cast<u32>(std::bit_width(delegates - 1));
  widths[1] = static_cast<u32>(std::bit_width(numbered - 1));
}

__host__ __device__ inline u64 mixed(u64 x)  // splitmix64
{
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

__global__ static void draw_entry_per_thread(const Shape* shape, const u64* starts, u64 rows, u64 entries, u64* keys)
{
  for (u64 e = thread_number(); e < entries; e += threads()) {
    u64 const row = holder(starts, rows, e);
    u32 const id = shape->id_of(row, rows);
    u32 neighbour = 0;
    u64 random = 0;
    for (int bit = 0; bit < shape->scale; ++bit, random >>= 16) {
      if (bit % 4 == 0) random = mixed(e * 8 + static_cast<u64>(bit) / 4);
      u32 const zero = (id >> bit & 1) != 0 ? 51883 : 49152;  // of 65536: 0.19 / 0.24 and 0.57 / 0.76
      if ((random & 0xffff) >= zero) neighbour |= 1u << bit;
    }
    keys[e] = row << 32 | shape->slot(neighbour);
  }
}

// Where runs start among the sorted keys, and what their entries are: ranks, or vertices.
__global__ static void split_run_per_thread(const Shape* shape, const u64* keys, u64 entries, u64 runs, u64* starts,
                                            u32* plain)
{
  for (u64 run = thread_number(); run <= runs; run += threads()) {
    u64 const key = run / 2 << 32 | (run % 2 == 0 ? 0 : shape->delegates);
    starts[run] = static_cast<u64>(thrust::lower_bound(thrust::seq, keys, keys + entries, key) - keys);
  }
  for (u64 e = thread_number(); e < entries; e += threads()) {
    u32 const slot = static_cast<u32>(keys[e]);
    plain[e] = slot < shape->delegates ? slot : slot - shape->delegates;
  }
}

struct Sample {
  u64 rows, runs, entries;
  Array<u64> starts;  // of runs, two a row, and one more
  Array<u32> plain;
};

inline Sample draw_rows(const Shape& shape)
{
  std::vector<std::poisson_distribution<u64>> degrees;
  for (int ones = 0; ones <= shape.scale; ++ones) degrees.emplace_back(shape.mean_degree(ones));
  std::mt19937_64 random(1);
  u64 const rows = u64{1} << std::min(shape.scale, 24);
  std::vector<u64> offsets{0};
  for (u64 row = 0; row < rows; ++row)
    offsets.push_back(offsets.back() + degrees[static_cast<u32>(std::popcount(shape.id_of(row, rows)))](random));
  Array<Shape> shape_there(1, shape);
  Array<u64> offsets_there = offsets, keys(offsets.back());
  launch(draw_entry_per_thread, keys.size(), raw(shape_there), raw(offsets_there), rows, keys.size(), raw(keys));
  thrust::sort(keys.begin(), keys.end());
  u64 const entries = static_cast<u64>(thrust::unique(keys.begin(), keys.end()) - keys.begin());
  Sample sample{rows, 2 * rows, entries, Array<u64>(2 * rows + 1), Array<u32>(entries + padding)};
  launch(split_run_per_thread, entries, raw(shape_there), raw(keys), entries, sample.runs, raw(sample.starts),
         raw(sample.plain));
  check(cudaDeviceSynchronize());
  return sample;
}
