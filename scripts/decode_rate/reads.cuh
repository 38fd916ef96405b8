// The two ways a search reads lists, for decode_rate.cu. Both do the same with every entry, whatever the code: they add
// it up, weighted by its place in its list, and may ask for its bit.
#pragma once

#include "codes.cuh"

#include <cstring>

constexpr u32 all_lanes = 0xffffffffu;
constexpr u32 piece_entries = 512;  // of a long run: what a lane brings to its warp at most
constexpr u32 short_run = 8;        // a lane decodes so many gaps alone
constexpr u32 totals_kept = 1024;   // blocks add to one of them, so that few meet at the same
constexpr u32 in_flight = 4;        // entries of a lane

__device__ inline u32 lane_id() { return threadIdx.x % 32; }

struct Piece {
  u32 run, first;
};

// The queue: rows that have entries, in scattered order, and their runs in pieces.
__global__ static void queue_row_per_thread(const u64* starts, u64 rows, u32* waiting, Piece* pieces, u64* counts)
{
  for (u64 i = thread_number(); i < rows; i += threads()) {
    u32 const row = static_cast<u32>(i * 0x9E3779B1u & (rows - 1));
    if (starts[2 * row] == starts[2 * row + 2]) continue;
    waiting[atomicAdd(reinterpret_cast<unsigned long long*>(counts), 1ull)] = row;
    for (u32 run = 2 * row; run < 2 * row + 2; ++run)
      for (u32 first = 0; first < starts[run + 1] - starts[run]; first += piece_entries)
        pieces[atomicAdd(reinterpret_cast<unsigned long long*>(counts + 1), 1ull)] = {run, first};
  }
}

struct Totals {
  u64 entries = 0, weighted = 0, visited = 0;
  bool operator==(const Totals&) const = default;
  Totals& operator+=(const Totals& other)
  {
    entries += other.entries, weighted += other.weighted, visited += other.visited;
    return *this;
  }
};

__device__ inline u64 sum_of_lanes(u64 value)
{
  for (u32 step = 16; step != 0; step /= 2) value += __shfl_xor_sync(all_lanes, value, step);
  return value;
}
__device__ inline u32 sum_up_to_lane(u32 value)
{
  for (u32 step = 1; step < 32; step *= 2) {
    u32 const below = __shfl_up_sync(all_lanes, value, step);
    if (lane_id() >= step) value += below;
  }
  return value;
}
template <typename T>
__device__ T from_lane(const T& value, u32 lane)
{
  u32 words[sizeof(T) / 4];
  memcpy(words, &value, sizeof(T));
  for (u32& word : words) word = __shfl_sync(all_lanes, word, lane);
  T taken;
  memcpy(&taken, words, sizeof(T));
  return taken;
}

// What is done with an entry, the same for all codes.
template <bool asks>
struct Reader {
  const u32* visited;  // bits by slot
  u32 delegates;
  Totals* totals;
  Totals mine{};

  __device__ void take(u32 kind, u32 value, u32 index)
  {
    u32 const slot = value + (kind == 0 ? 0 : delegates);
    ++mine.entries;
    mine.weighted += u64{slot} * (2 * index + 1);
    if constexpr (asks) mine.visited += visited[slot / 32] >> slot % 32 & 1;
  }
  __device__ void finish() const
  {
    auto* const sums = reinterpret_cast<unsigned long long*>(totals + blockIdx.x % totals_kept);
    u64 const its[3] = {sum_of_lanes(mine.entries), sum_of_lanes(mine.weighted), sum_of_lanes(mine.visited)};
    if (lane_id() < 3) atomicAdd(sums + lane_id(), lane_id() == 0 ? its[0] : lane_id() == 1 ? its[1] : its[2]);
  }
};

// A warp takes 32 pieces, and its lanes share all their entries evenly (push.cuh). Gaps have to be added up from the
// start of a block: there the warp takes block after block, and lanes read short runs alone.
template <typename Code, bool asks>
__global__ void push_32_pieces_per_warp(Code code, const Piece* pieces, u64 count, Reader<asks> reader)
{
  struct Part {
    typename Code::Run run{};
    u32 kind = 0, first = 0, length = 0, end = 0;  // end: of this part among the entries of the warp
  };
  for (u64 i = thread_number(); i - lane_id() < count; i += threads()) {
    Part mine;
    if (i < count) {
      mine.run = code.open(pieces[i].run);
      mine.kind = pieces[i].run % 2;
      mine.first = pieces[i].first;
      mine.length = min(mine.run.length - mine.first, piece_entries);
    }
    if constexpr (Code::any_entry) {
      mine.end = sum_up_to_lane(mine.length);
      u32 const total = __shfl_sync(all_lanes, mine.end, 31);
      for (u32 base = 0; base < total; base += 32 * in_flight) {
        u32 values[in_flight], kinds[in_flight], indices[in_flight];
#pragma unroll
        for (u32 k = 0; k < in_flight; ++k) {
          u32 const entry = base + k * 32 + lane_id();
          u32 owner = 0;
          for (u32 step = 16; step != 0; step /= 2)
            if (__shfl_sync(all_lanes, mine.end, owner + step - 1) <= entry) owner += step;
          Part const its = from_lane(mine, owner % 32);
          kinds[k] = its.kind;
          indices[k] = entry - (its.end - its.length) + its.first;
          if (entry < total) values[k] = code.entry(its.run, indices[k]);
        }
#pragma unroll
        for (u32 k = 0; k < in_flight; ++k)
          if (base + k * 32 + lane_id() < total) reader.take(kinds[k], values[k], indices[k]);
      }
    } else {
      bool const alone = mine.run.length <= short_run;
      if (alone) {
        u32 values[short_run];
        code.read_first(mine.run, values);
        for (u32 k = 0; k < short_run; ++k)
          if (k < mine.length) reader.take(mine.kind, values[k], k);
      }
      for (u32 rest = __ballot_sync(all_lanes, !alone); rest != 0; rest &= rest - 1) {
        Part const its = from_lane(mine, __ffs(rest) - 1);
        for (u32 first = its.first; first < its.first + its.length; first += 32) {
          auto const block = code.block(its.run, first / 32);
          bool const exists = first + lane_id() < its.first + its.length;
          u32 const value = block.data[0] + sum_up_to_lane(exists ? block.value(lane_id()) : 0);
          if (exists) reader.take(its.kind, value, first + lane_id());
        }
      }
    }
  }
  reader.finish();
}

// A lane takes a row and reads its first k entries.
template <typename Code, u32 k>
__global__ void pull_lane_per_row(Code code, const u32* rows, u64 count, Reader<true> reader)
{
  for (u64 i = thread_number(); i < count; i += threads()) {
    u32 taken = 0;
    for (u32 kind = 0; kind < 2 && taken < k; ++kind) {
      auto const run = code.open(2 * rows[i] + kind);
      u32 values[k];
      code.read_first(run, values);
      u32 const before = taken;
#pragma unroll
      for (u32 j = 0; j < k; ++j)
        if (j < run.length && before + j < k) reader.take(kind, values[j], before + j), ++taken;
    }
  }
  __syncwarp();
  reader.finish();
}
