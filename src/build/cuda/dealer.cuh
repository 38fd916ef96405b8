// Items that kernels make of tuples, dealt to the devices where they belong. They are counted before they are dealt, so
// that the bins of all devices take no more room than the items.
#pragma once

#include "base/room.hpp"
#include "build/cuda/deal_block.cuh"
#include "device/launch.cuh"
#include "exchange/cuda/device_pieces.hpp"
#include "exchange/exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace brushfire {

inline constexpr unsigned dealt_per_thread = 8;
inline constexpr std::uint64_t dealt_per_block = std::uint64_t{dealt_per_thread} * cuda::deal_threads;

// `Source` has a type Item; source.receiver(i) names the device that item i is for, as a vertex of it, or nobody; and
// source.item(i) is what it gets.
template <typename Source>
__global__ __launch_bounds__(cuda::deal_threads) void count_items_by_device(Source source, std::uint64_t items,
                                                                            unsigned devices, cuda::Count* counts)
{
  __shared__ unsigned here[cuda::most_devices];
  for (unsigned device = threadIdx.x; device < devices; device += blockDim.x) here[device] = 0;
  __syncthreads();
  device::for_each_item(items, [&](std::uint64_t i) {
    FarVertex const receiver = source.receiver(i);
    if (receiver != cuda::nobody) atomicAdd(&here[device_of(receiver)], 1u);
  });
  __syncthreads();
  for (unsigned device = threadIdx.x; device < devices; device += blockDim.x)
    if (here[device] != 0) atomicAdd(&counts[device], cuda::Count{here[device]});
}

template <typename Source>
__global__ __launch_bounds__(cuda::deal_threads) void deal_items_by_block(Source source, std::uint64_t items,
                                                                          cuda::BinsView bins,
                                                                          typename Source::Item* dealt)
{
  __shared__ cuda::DealMemory memory;
  auto const load = [&](std::uint64_t i) { return source.receiver(i); };
  auto const store = [&](std::uint64_t i, FarVertex, std::uint64_t place) { dealt[place] = source.item(i); };
  for (std::uint64_t first = blockIdx.x * dealt_per_block; first < items; first += gridDim.x * dealt_per_block)
    cuda::deal_block<dealt_per_thread>(first, items, bins, memory, load, store);
}

class Dealer {
 public:
  Dealer(Exchange& exchange, const device::Stream& stream)
      : exchange_(exchange), stream_(stream), pieces_(stream), counts_(devices()), before_(devices())
  {
  }

  // Every device calls it. take(items, count) puts work on what has arrived, in device memory, into the stream.
  template <typename Source, typename Take>
  void deal(const Source& source, std::uint64_t items, Take&& take)
  {
    using Item = typename Source::Item;
    std::vector<std::uint64_t> const counts = count(source, items);
    std::vector<std::uint64_t> before(devices());
    std::uint64_t total = 0;
    for (std::size_t device = 0; device < devices(); ++device) {
      before[device] = total;
      total += counts[device];
    }
    before_.upload(before, stream_);
    counts_.fill_bytes(0, stream_);
    make_room(bins_, total * sizeof(Item));
    auto* const dealt = reinterpret_cast<Item*>(bins_.data());
    device::launch(deal_items_by_block<Source>, blocks_for(items), cuda::deal_threads, stream_, source, items,
                   cuda::BinsView{before_.data(), counts_.data(), static_cast<unsigned>(devices())}, dealt);
    pieces_.add_bins(dealt, sizeof(Item), before, counts);
    Round const only{0, true};
    exchange_.post(only, {pieces_.pieces(), {}, false});
    exchange_.collect(only, [&](Piece piece) {
      take(static_cast<const Item*>(pieces_.land(piece)), std::uint64_t{piece.bytes.size() / sizeof(Item)});
      stream_.wait();  // it lies with its sender, who goes on when all have collected
    });
  }

 private:
  std::size_t devices() const { return static_cast<std::size_t>(exchange_.devices()); }

  static unsigned blocks_for(std::uint64_t items) { return device::blocks_for(items, dealt_per_block, 4096); }

  template <typename Source>
  std::vector<std::uint64_t> count(const Source& source, std::uint64_t items)
  {
    counts_.fill_bytes(0, stream_);
    device::launch(count_items_by_device<Source>, blocks_for(items), cuda::deal_threads, stream_, source, items,
                   static_cast<unsigned>(devices()), counts_.data());
    auto const counted = device::to_vector(counts_, devices(), stream_);
    pieces_.begin_round();
    return {counted.begin(), counted.end()};
  }

  Exchange& exchange_;
  const device::Stream& stream_;
  cuda::DevicePieces pieces_;
  device::Buffer<cuda::Count> counts_;
  device::Buffer<std::uint64_t> before_;
  device::Buffer<std::byte> bins_;
};

}  // namespace brushfire
