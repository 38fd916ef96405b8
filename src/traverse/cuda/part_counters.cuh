// What a device counts in a level, and how many items it has for each device, in one piece of memory, and the same on
// the host. In a level kernels write there what the host has to know; between searches it is copied.
#pragma once

#include "base/saturating.hpp"
#include "device/buffer.hpp"
#include "traverse/cuda/part_level.cuh"

#include <cstdint>
#include <span>

namespace brushfire::cuda {

class PartCounters {
 public:
  PartCounters(int devices, const device::Stream& stream)
      : stream_(stream), devices_(static_cast<std::size_t>(devices)), words_(size()), on_host_(size())
  {
  }

  static std::uint64_t predict_bytes(std::uint64_t devices) { return bytes_of<Count>(tally_words + devices); }

  PartTally* tally() { return reinterpret_cast<PartTally*>(words_.data()); }
  PartTally* tally_on_host() { return reinterpret_cast<PartTally*>(on_host_.data()); }
  Count* counts() { return words_.data() + tally_words; }
  Count* counts_on_host() { return on_host_.data() + tally_words; }
  std::uint32_t bytes() const { return static_cast<std::uint32_t>(words_.bytes()); }

  void clear() { words_.fill_bytes(0, stream_); }
  void clear_queued()
  {
    device::fill_bytes(&tally()->queued, 0, sizeof(tally()->queued), stream_);
    device::fill_bytes(&tally()->queued_longs, 0, sizeof(tally()->queued_longs), stream_);
  }
  // As they are when the stream has come to here; waits for it.
  const PartTally& read()
  {
    words_.download(on_host_.span(), stream_);
    stream_.wait();
    return *tally_on_host();
  }
  std::span<const std::uint64_t> counts_read() const
  {
    return {reinterpret_cast<const std::uint64_t*>(on_host_.data()) + tally_words, devices_};
  }

 private:
  static constexpr std::size_t tally_words = sizeof(PartTally) / sizeof(Count);
  static_assert(sizeof(PartTally) % sizeof(Count) == 0);
  std::size_t size() const { return tally_words + devices_; }

  const device::Stream& stream_;
  std::size_t devices_;
  device::Buffer<Count> words_;
  device::PinnedBuffer<Count> on_host_;
};

}  // namespace brushfire::cuda
