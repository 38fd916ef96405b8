// The delegates that a device finds in the second round of a level, when it looks for those of others that are left.
// They go to all other devices by rank: mostly they are so few that this is much less than the masks joined once more.
#pragma once

#include "build/cuda/device_part.hpp"
#include "device/launch.cuh"
#include "exchange/cuda/device_pieces.hpp"
#include "traverse/cuda/arrivals.cuh"
#include "traverse/cuda/part_counters.cuh"
#include "traverse/cuda/part_counts.hpp"
#include "traverse/cuda/part_index.hpp"

#include <cstdint>
#include <span>

namespace brushfire::cuda {

// Lists the bits of `late`, which is empty again. How many there were, the last block tells the host.
static __global__ void list_late_thread_per_word(std::uint32_t* late, std::uint64_t words, std::uint32_t* mine,
                                                 Vertex* ranks, PartTally* tally, PartTally* on_host)
{
  device::for_each_item(words, [&](std::uint64_t w) {
    std::uint32_t bits = late[w];
    if (bits == 0) return;
    late[w] = 0;
    mine[w] |= bits;
    for (unsigned place = atomicAdd(&tally->late, __popc(bits)); bits != 0; bits &= bits - 1)
      ranks[place++] = static_cast<Vertex>(w * 32 + __ffs(bits) - 1);
  });
  if (is_last_block(&tally->blocks_listed) && threadIdx.x == 0) on_host->late = __ldcg(&tally->late);
}

static __global__ void hear_late_thread_per_rank(const __grid_constant__ Arrivals<Vertex> arrivals,
                                                 std::uint32_t* visited)
{
  device::for_each_item(arrivals.total(), [&](std::uint64_t i) {
    Vertex const rank = arrivals.item(arrivals.piece_of(i), i);
    atomicOr(visited + rank / 32, 1u << (rank % 32));
  });
}

class LateDelegates {
 public:
  // `visited` and `mine` are bits of delegates in so many words: found by anybody, and here.
  LateDelegates(const DevicePart& part, std::uint64_t words, std::uint32_t* visited, std::uint32_t* mine,
                PartCounters& counters, const device::Stream& stream)
      : part_(part),
        mine_(mine),
        counters_(counters),
        stream_(stream),
        bits_(words),
        ranks_(part.layout.delegates),
        pieces_(stream),
        arrivals_(pieces_, Taken::at_once, [this, visited](const Arrivals<Vertex>& arrivals) {
          device::launch_over(arrivals.total(), hear_late_thread_per_rank, stream_, arrivals, visited);
        })
  {
  }

  static std::uint64_t predict_bytes(const PartSearchCounts& counts)
  {
    std::uint64_t const piece = bytes_of<Vertex>(counts.delegates);
    std::uint64_t const landed = DevicePieces::most_unreleased(saturating_product(counts.devices, piece), piece);
    return saturating_sum({bytes_of<std::uint32_t>(SearchIndex::first_normal(counts.delegates) / 32),
                           bytes_of<Vertex>(counts.delegates),
                           counts.pieces_land ? DevicePieces::predict_bytes(landed, counts.devices) : 0});
  }

  void restart()
  {
    bits_.fill_bytes(0, stream_);
    arrivals_.drop();
  }
  void begin_level() { pieces_.begin_round(); }

  std::uint32_t* bits() { return bits_.data(); }  // whoever finds one adds it here
  // What is there, for everybody else.
  std::span<const Piece> send_found()
  {
    counters_.tally_on_host()->late = 0;
    device::launch_over(bits_.size(), list_late_thread_per_word, stream_, bits_.data(), std::uint64_t{bits_.size()},
                        mine_, ranks_.data(), counters_.tally(), counters_.tally_on_host());
    stream_.wait();
    std::size_t const bytes = counters_.tally_on_host()->late * sizeof(Vertex);
    for (int device = 0; device < part_.devices && bytes != 0; ++device)
      if (device != part_.device) pieces_.add(device, ranks_.data(), bytes);
    return pieces_.pieces();
  }

  // What others found is visited when all has been heard.
  void add(Piece arrived) { arrivals_.add(arrived); }
  void hear() { arrivals_.finish(); }

 private:
  const DevicePart& part_;
  std::uint32_t* mine_;
  PartCounters& counters_;
  const device::Stream& stream_;
  device::Buffer<std::uint32_t> bits_;  // empty but while they are found
  device::Buffer<Vertex> ranks_;
  DevicePieces pieces_;
  ArrivalsTaker<Vertex> arrivals_;
};

}  // namespace brushfire::cuda
