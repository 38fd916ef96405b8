// decode_rate [scale]: how fast a GPU reads compressed adjacency lists, beside lists of 4 bytes an entry.
//   nvcc -std=c++20 -O3 -arch=sm_90 scripts/decode_rate.cu -o decode_rate
//
// Up to 2^24 rows of a Kronecker graph of that scale (30 unless told) are drawn, as they are without all the others. A
// row is two runs of rising numbers: its delegates by rank, and its normal neighbours, which are numbered at random
// among all vertices that have edges. Every code must give the entries of the plain lists in their order, or the
// program ends with 1.
#include "decode_rate/codes.cuh"
#include "decode_rate/reads.cuh"
#include "decode_rate/rows.cuh"

#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/scan.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

struct Figure {
  double rate;  // entries a second
  Totals totals;
};

// Median of five, after one that warms up.
template <typename Launch>
Figure time_reading(Launch read)
{
  Array<Totals> totals(totals_kept);
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  std::vector<float> times;  // milliseconds
  for (int run = 0; run < 6; ++run) {
    thrust::fill(totals.begin(), totals.end(), Totals{});
    check(cudaEventRecord(start));
    read(raw(totals));
    check(cudaEventRecord(stop));
    check(cudaEventSynchronize(stop));
    float time = 0;
    check(cudaEventElapsedTime(&time, start, stop));
    if (run != 0) times.push_back(time);
  }
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  std::nth_element(times.begin(), times.begin() + 2, times.end());
  Totals sums;
  for (const Totals& part : thrust::host_vector<Totals>(totals)) sums += part;
  return {static_cast<double>(sums.entries) / (times[2] * 1e-3), sums};
}

struct Queue {
  Array<u32> rows;
  Array<Piece> pieces;
  Array<u32> visited;
  u32 delegates = 0;
};

template <typename Code, u32 k>
Figure time_pull(Code code, Queue& queue)
{
  return time_reading([&](Totals* totals) {
    launch(pull_lane_per_row<Code, k>, queue.rows.size(), code, raw(queue.rows), queue.rows.size(),
           Reader<true>{raw(queue.visited), queue.delegates, totals});
  });
}

template <bool asks, typename Code>
Figure time_push(Code code, Queue& queue)
{
  return time_reading([&](Totals* totals) {
    launch(push_32_pieces_per_warp<Code, asks>, queue.pieces.size(), code, raw(queue.pieces), queue.pieces.size(),
           Reader<asks>{raw(queue.visited), queue.delegates, totals});
  });
}

// Prints a line of the table; whether all entries were those of `plain`, which is filled first.
template <typename Code>
bool measure(const char* name, Code code, double bytes_per_entry, Queue& queue, std::vector<Figure>& plain)
{
  std::vector<Figure> const figures{time_push<false>(code, queue),   time_push<true>(code, queue),
                                    time_pull<Code, 1>(code, queue), time_pull<Code, 2>(code, queue),
                                    time_pull<Code, 4>(code, queue), time_pull<Code, 8>(code, queue)};
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

void fill_queue(Queue& queue, Sample& sample)
{
  queue.rows.resize(sample.rows);
  queue.pieces.resize(sample.runs + sample.entries / piece_entries);
  Array<u64> counts(2);
  launch(queue_row_per_thread, sample.rows, raw(sample.starts), sample.rows, raw(queue.rows), raw(queue.pieces),
         raw(counts));
  queue.rows.resize(counts[0]);
  queue.pieces.resize(counts[1]);
}

struct Packed {
  Array<u64> starts;
  Array<u32> words;
  double bytes_per_entry(u64 entries) const
  {
    return static_cast<double>((words.size() - padding) * sizeof(u32)) / static_cast<double>(entries);
  }
};

Packed pack_fixed(const Shape& shape, Sample& sample)
{
  Packed packed{Array<u64>(sample.runs + 1), {}};
  launch(measure_run_per_thread, sample.runs, raw(sample.starts), sample.runs, shape.widths[0], shape.widths[1], 1u,
         raw(packed.starts));
  thrust::exclusive_scan(packed.starts.begin(), packed.starts.end(), packed.starts.begin());
  packed.words.resize((packed.starts.back() + 31) / 32 + padding);
  launch(write_fixed_entry_per_thread, sample.entries,
         Fixed{raw(packed.words), raw(packed.starts), {shape.widths[0], shape.widths[1]}},
         Plain{raw(sample.plain), raw(sample.starts)}, sample.runs, sample.entries, raw(packed.words));
  return packed;
}

template <bool gaps>
Packed pack_blocks(Sample& sample)
{
  Plain const plain{raw(sample.plain), raw(sample.starts)};
  Array<u64> first_blocks(sample.runs + 1);
  launch(measure_run_per_thread, sample.runs, plain.starts, sample.runs, 1u, 1u, 32u, raw(first_blocks));
  thrust::exclusive_scan(first_blocks.begin(), first_blocks.end(), first_blocks.begin());
  u64 const blocks = first_blocks.back();
  Array<u64> places(blocks + 1);
  auto const write = [&](u32* words) {
    launch(write_block_per_thread<gaps>, blocks, plain, raw(first_blocks), sample.runs, blocks, raw(places), words);
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
  Queue queue{.delegates = shape.delegates};
  fill_queue(queue, sample);
  std::vector<u32> bits((shape.delegates + shape.numbered) / 32 + 1);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<u32>(mixed(i));
  queue.visited = bits;

  std::printf("scale %d, %u delegates, %.1f M vertices with edges; drawn: %.2f M rows with %.1f M entries\n", scale,
              shape.delegates, static_cast<double>(shape.numbered) * 1e-6,
              static_cast<double>(queue.rows.size()) * 1e-6, static_cast<double>(sample.entries) * 1e-6);
  std::printf("G entries a second, and beside plain lists:\n%-8s %6s", "code", "bytes");
  for (const char* what : {"push", "push, ask", "pull 1", "pull 2", "pull 4", "pull 8"}) std::printf("  %11s", what);
  std::printf("\n");

  u64 const entries = sample.entries;
  std::vector<Figure> plain;
  bool right = measure("plain", Plain{raw(sample.plain), raw(sample.starts)}, sizeof(u32), queue, plain);
  right &= plain[0].totals.entries == entries;
  {
    Packed packed = pack_fixed(shape, sample);
    Fixed const code{raw(packed.words), raw(packed.starts), {shape.widths[0], shape.widths[1]}};
    right &= measure("fixed", code, packed.bytes_per_entry(entries), queue, plain);
  }
  {
    Packed packed = pack_blocks<false>(sample);
    Blocks<false> const code{raw(packed.words), raw(packed.starts)};
    right &= measure("offsets", code, packed.bytes_per_entry(entries), queue, plain);
  }
  {
    Packed packed = pack_blocks<true>(sample);
    Blocks<true> const code{raw(packed.words), raw(packed.starts)};
    right &= measure("gaps", code, packed.bytes_per_entry(entries), queue, plain);
  }
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "decode_rate: %s\n", error.what());
  return 2;
}
