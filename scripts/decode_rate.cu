// decode_rate [scale]: how fast a GPU reads compressed adjacency lists, beside lists of 4 bytes an entry.
//   nvcc -std=c++20 -O3 -arch=sm_90 scripts/decode_rate.cu -o decode_rate
//
// Up to 2^24 rows of a Kronecker graph of that scale (30 unless told) are drawn, as they are without all the others. A
// row is two runs of rising numbers: its delegates by rank, and its normal neighbours, which are numbered at random
// among all vertices that have edges. Every code must give the entries of the plain lists in their order, or the
// program ends with 1.
#include "decode_rate/codes.cuh"
#include "decode_rate/rows.cuh"

#include <thrust/fill.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/scan.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr u32 all_lanes = 0xffffffffu;
constexpr u32 piece_entries = 512;  // of a long run: what a lane brings to its warp at most
constexpr u32 totals_kept = 1024;   // blocks add to one of them, so that few meet at the same
constexpr u32 in_flight = 4;        // entries of a lane

__device__ u32 lane_id() { return threadIdx.x % 32; }

struct Piece {
  u32 run, first;
};

// The queue: rows that have entries, in scattered order, and their runs in pieces.
__global__ void queue_row_per_thread(const u64* starts, u64 rows, u32* waiting, Piece* pieces,
                                     unsigned long long* counts)
{
  for (u64 i = thread_number(); i < rows; i += threads()) {
    u32 const row = static_cast<u32>(i * 0x9E3779B1u & (rows - 1));
    if (starts[2 * row] == starts[2 * row + 2]) continue;
    waiting[atomicAdd(counts, 1ull)] = row;
    for (u32 run = 2 * row; run < 2 * row + 2; ++run)
      for (u32 first = 0; first < starts[run + 1] - starts[run]; first += piece_entries)
        pieces[atomicAdd(counts + 1, 1ull)] = {run, first};
  }
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

struct Totals {
  unsigned long long entries = 0, weighted = 0, visited = 0;
  bool operator==(const Totals&) const = default;
};

// What is done with an entry, whatever the code: it is added up, weighted by its place in its list, and its bit may be
// asked for.
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
    Totals& sums = totals[blockIdx.x % totals_kept];
    add(sums.entries, mine.entries);
    add(sums.weighted, mine.weighted);
    add(sums.visited, mine.visited);
  }
  __device__ static void add(unsigned long long& sum, unsigned long long value)
  {
    for (u32 step = 16; step != 0; step /= 2) value += __shfl_xor_sync(all_lanes, value, step);
    if (lane_id() == 0) atomicAdd(&sum, value);
  }
};

// A warp takes 32 pieces, and its lanes share all their entries evenly (push.cuh).
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
    mine.end = mine.length;
    for (u32 step = 1; step < 32; step *= 2) {
      u32 const below = __shfl_up_sync(all_lanes, mine.end, step);
      if (lane_id() >= step) mine.end += below;
    }
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
      read_first(code, run, values);
      u32 const before = taken;
#pragma unroll
      for (u32 j = 0; j < k; ++j)
        if (j < run.length && before + j < k) reader.take(kind, values[j], before + j), ++taken;
    }
  }
  __syncwarp();
  reader.finish();
}

struct Queue {
  Array<u32> rows;
  Array<Piece> pieces;
  Array<u32> visited;
  u32 delegates;
};

Queue make_queue(const Shape& shape, Sample& sample)
{
  Array<u32> rows(sample.rows);
  Array<Piece> pieces(sample.runs + sample.entries / piece_entries);
  Array<unsigned long long> counts(2);
  launch(queue_row_per_thread, sample.rows, raw(sample.starts), sample.rows, raw(rows), raw(pieces), raw(counts));
  rows.resize(counts[0]);
  pieces.resize(counts[1]);
  std::vector<u32> bits((shape.delegates + shape.numbered) / 32 + 1);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<u32>(mixed(i));
  return {rows, pieces, bits, shape.delegates};
}

struct Figure {
  double rate;  // entries a second
  Totals totals;
};

// Median of five, after one that warms up.
template <bool asks, typename Code, typename Item>
Figure time_reading(void (*kernel)(Code, const Item*, u64, Reader<asks>), Code code, Array<Item>& items, Queue& queue)
{
  Array<Totals> totals(totals_kept);
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  std::vector<float> times;  // milliseconds
  for (int run = 0; run < 6; ++run) {
    thrust::fill(totals.begin(), totals.end(), Totals{});
    check(cudaEventRecord(start));
    launch(kernel, items.size(), code, raw(items), items.size(),
           Reader<asks>{raw(queue.visited), queue.delegates, raw(totals)});
    check(cudaEventRecord(stop));
    check(cudaEventSynchronize(stop));
    float time = 0;
    check(cudaEventElapsedTime(&time, start, stop));
    if (run != 0) times.push_back(time);
  }
  std::nth_element(times.begin(), times.begin() + 2, times.end());
  Totals sums;
  for (const Totals& part : thrust::host_vector<Totals>(totals)) {
    sums.entries += part.entries;
    sums.weighted += part.weighted;
    sums.visited += part.visited;
  }
  return {static_cast<double>(sums.entries) / (times[2] * 1e-3), sums};
}

// Prints a line of the table; whether all entries were those of `plain`, which is filled first.
template <typename Code>
bool measure(const char* name, Code code, double bytes_per_entry, Queue& queue, std::vector<Figure>& plain)
{
  std::vector<Figure> const figures{
      time_reading<false>(push_32_pieces_per_warp<Code, false>, code, queue.pieces, queue),
      time_reading<true>(push_32_pieces_per_warp<Code, true>, code, queue.pieces, queue),
      time_reading<true>(pull_lane_per_row<Code, 1>, code, queue.rows, queue),
      time_reading<true>(pull_lane_per_row<Code, 2>, code, queue.rows, queue),
      time_reading<true>(pull_lane_per_row<Code, 4>, code, queue.rows, queue),
      time_reading<true>(pull_lane_per_row<Code, 8>, code, queue.rows, queue)};
  if (plain.empty()) plain = figures;
  bool right = true;
  std::printf("%-8s %6.3f", name, bytes_per_entry);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    std::printf("  %6.1f %4.2f", figures[i].rate * 1e-9, figures[i].rate / plain[i].rate);
    right &= figures[i].totals == plain[i].totals;
  }
  std::printf("%s\n", right ? "" : "  WRONG");
  return right;
}

struct Packed {
  Array<u64> starts;
  Array<u32> words;
  double bytes() const { return static_cast<double>((words.size() - padding) * sizeof(u32)); }
};

Packed pack_fixed(const u32 (&widths)[2], Sample& sample)
{
  Packed packed{Array<u64>(sample.runs + 1), {}};
  launch(measure_run_per_thread, sample.runs, raw(sample.starts), sample.runs, widths[0], widths[1], 1u,
         raw(packed.starts));
  thrust::exclusive_scan(packed.starts.begin(), packed.starts.end(), packed.starts.begin());
  packed.words.resize((packed.starts.back() + 31) / 32 + padding);
  launch(write_fixed_entry_per_thread, sample.entries,
         Fixed{raw(packed.words), raw(packed.starts), {widths[0], widths[1]}},
         Plain{raw(sample.plain), raw(sample.starts)}, sample.runs, sample.entries, raw(packed.words));
  return packed;
}

Packed pack_offsets(Sample& sample)
{
  Plain const plain{raw(sample.plain), raw(sample.starts)};
  Array<u64> first_blocks(sample.runs + 1);
  launch(measure_run_per_thread, sample.runs, plain.starts, sample.runs, 1u, 1u, 32u, raw(first_blocks));
  thrust::exclusive_scan(first_blocks.begin(), first_blocks.end(), first_blocks.begin());
  u64 const blocks = first_blocks.back();
  Array<u64> places(blocks + 1);
  auto const write = [&](u32* words) {
    launch(write_block_per_thread, blocks, plain, raw(first_blocks), sample.runs, blocks, raw(places), words);
  };
  write(nullptr);
  thrust::exclusive_scan(places.begin(), places.end(), places.begin());
  Packed packed{Array<u64>(sample.runs + 1), Array<u32>(places.back() + padding)};
  thrust::gather(first_blocks.begin(), first_blocks.end(), places.begin(), packed.starts.begin());
  write(raw(packed.words));
  return packed;
}

int main(int count, char** arguments)
try {
  int const scale = count > 1 ? std::atoi(arguments[1]) : 30;
  if (scale < 6 || scale > 30) throw std::runtime_error("the scale is a number from 6 to 30");
  Shape const shape(scale);
  Sample sample = draw_rows(shape);
  Queue queue = make_queue(shape, sample);
  auto const entries = static_cast<double>(sample.entries);

  std::printf("scale %d, %u delegates, %.1f M vertices with edges; drawn: %.2f M rows with %.1f M entries\n", scale,
              shape.delegates, static_cast<double>(shape.numbered) * 1e-6,
              static_cast<double>(queue.rows.size()) * 1e-6, entries * 1e-6);
  std::printf("G entries a second, and beside plain lists:\n%-8s %6s", "code", "bytes");
  for (const char* what : {"push", "push, ask", "pull 1", "pull 2", "pull 4", "pull 8"}) std::printf("  %11s", what);
  std::printf("\n");

  std::vector<Figure> plain;
  bool right = measure("plain", Plain{raw(sample.plain), raw(sample.starts)}, sizeof(u32), queue, plain);
  right &= plain[0].totals.entries == sample.entries;
  {
    Packed packed = pack_fixed(shape.widths, sample);
    Fixed const code{raw(packed.words), raw(packed.starts), {shape.widths[0], shape.widths[1]}};
    right &= measure("fixed", code, packed.bytes() / entries, queue, plain);
  }
  Packed packed = pack_offsets(sample);
  right &= measure("offsets", Offsets{raw(packed.words), raw(packed.starts)}, packed.bytes() / entries, queue, plain);
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "decode_rate: %s\n", error.what());
  return 2;
}
