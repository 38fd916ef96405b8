// Far lists of a frontier, or of vertices that ask for their parents, and the bins that their entries are dealt into:
// where they are kept. Every bin has room for all that can ever go to its device.
#pragma once

#include "device/launch.cuh"
#include "traverse/cuda/far_lists.cuh"
#include "traverse/cuda/part_level.cuh"
#include "exchange/cuda/piece_staging.hpp"

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace brushfire::cuda {

class FarDeal {
 public:
  FarDeal(const DevicePart& part, bool uniquify, const device::Stream& stream)
      : part_(part),
        stream_(stream),
        owners_(part.layout.vertices),
        firsts_(part.layout.vertices),
        ends_(part.layout.vertices),
        numbers_(std::max(part.out.targets.size(), part.incoming().targets.size())),
        out_before_(device::make_buffer(std::span<const std::uint64_t>(part.out.entries_before), stream)),
        in_before_(device::make_buffer(std::span<const std::uint64_t>(part.incoming().entries_before), stream)),
        homes_before_(device::make_buffer(std::span<const std::uint64_t>(part.homes_before), stream)),
        counts_(static_cast<std::size_t>(part.devices)),
        counts_on_host_(static_cast<std::size_t>(part.devices))
  {
    if (!uniquify) return;
    numbers_before_ = device::make_buffer(std::span<const std::uint64_t>(part.out.numbers_before), stream);
    sent_ = device::Buffer<std::uint32_t>(part.out.numbers_before.back() / 32 + 1);
  }

  FarListsBuilt built() { return {owners_.data(), firsts_.data(), ends_.data()}; }

  // Lists whose lengths were built, ready for dealing.
  FarLists lists(std::uint64_t count, const DeviceFarRows& rows)
  {
    std::uint64_t* const ends = ends_.data();
    std::size_t bytes = 0;
    auto const add_up = [&](void* scratch) {
      device::check(cub::DeviceScan::InclusiveSum(scratch, bytes, ends, ends, count, stream_.handle()),
                    "adding up the lengths of lists");
    };
    add_up(nullptr);
    add_up(grow(scratch_, std::max<std::size_t>(bytes, 1), stream_));
    return {owners_.data(), firsts_.data(), ends, count, rows.targets.data()};
  }

  BinsView clear_bins(const device::Buffer<std::uint64_t>& before)
  {
    counts_.fill_bytes(0, stream_);
    return {before.data(), counts_.data(), static_cast<unsigned>(part_.devices)};
  }
  BinsView far_bins() { return clear_bins(out_before_); }
  BinsView question_bins() { return clear_bins(in_before_); }
  BinsView home_bins() { return clear_bins(homes_before_); }

  // For a kernel that deals so many items.
  static unsigned blocks_for(std::uint64_t items)
  {
    constexpr std::uint64_t most = 1024;
    return static_cast<unsigned>(std::min((items + dealt_per_block - 1) / dealt_per_block, most));
  }

  // Of each bin, when they have been filled; waits for the stream.
  std::span<const std::uint64_t> counts()
  {
    device::copy_to_host(counts_on_host_.data(), counts_.data(), counts_.bytes(), stream_);
    stream_.wait();
    return counts_on_host_.span();
  }

  // Bits of what has been sent in this level, cleared; null where it does not matter.
  std::uint32_t* clear_sent()
  {
    sent_.fill_bytes(0, stream_);
    return sent_.data();
  }
  const std::uint64_t* numbers_before() const { return numbers_before_.data(); }
  Vertex* numbers() { return numbers_.data(); }
  std::uint64_t* places(std::uint64_t questions) { return grow(places_, questions, stream_); }

 private:
  const DevicePart& part_;
  const device::Stream& stream_;
  device::Buffer<Vertex> owners_;
  device::Buffer<EdgeIndex> firsts_;
  device::Buffer<std::uint64_t> ends_;
  device::Buffer<Vertex> numbers_;  // in bins
  device::Buffer<std::uint64_t> out_before_, in_before_, homes_before_, numbers_before_;
  device::Buffer<Count> counts_;
  device::PinnedBuffer<std::uint64_t> counts_on_host_;
  device::Buffer<std::uint32_t> sent_;
  device::Buffer<std::uint64_t> places_;  // of questions in their bins
  device::Buffer<std::byte> scratch_;
};

}  // namespace brushfire::cuda
