// Far lists of a frontier, or of vertices that ask for their parents, and the bins that their entries are dealt into:
// where they are kept. Every bin has room for all that can ever go to its device.
#pragma once

#include "base/saturating.hpp"
#include "device/launch.cuh"
#include "traverse/cuda/far_lists.cuh"
#include "traverse/cuda/part_counts.hpp"

#include <brushfire/error.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace brushfire::cuda {

class FarDeal {
 public:
  // `counts` has a counter per device.
  FarDeal(const DevicePart& part, bool uniquify, Count* counts, const device::Stream& stream)
      : part_(part),
        counts_(counts),
        entry_bits_(bits_of_entries(part)),
        owners_(part.layout.vertices),
        firsts_(part.layout.vertices),
        ends_(part.layout.vertices),
        numbers_(std::max(part.out.targets.size(), part.incoming().targets.size())),
        out_before_(device::make_buffer(std::span<const std::uint64_t>(part.out.entries_before), stream)),
        in_before_(device::make_buffer(std::span<const std::uint64_t>(part.incoming().entries_before), stream)),
        homes_before_(device::make_buffer(std::span<const std::uint64_t>(part.homes_before), stream))
  {
    if (!uniquify) return;
    numbers_before_ = device::make_buffer(std::span<const std::uint64_t>(part.out.numbers_before), stream);
    sent_ = device::Buffer<std::uint32_t>(part.out.numbers_before.back() / 32 + 1);
  }

  // Where `uniquify`.
  static std::uint64_t predict_bytes(const PartSearchCounts& counts)
  {
    return saturating_sum({bytes_of<Vertex>(counts.vertices), bytes_of<EdgeIndex>(counts.vertices),
                           bytes_of<std::uint64_t>(counts.vertices), bytes_of<Vertex>(counts.far_entries),
                           bytes_of<std::uint64_t>(4 * (counts.devices + 1)),
                           bytes_of<std::uint32_t>(counts.all_vertices / 32 + 1)});
  }

  FarListsBuilt built() { return {owners_.data(), firsts_.data(), ends_.data(), entry_bits_}; }

  // `count` lists of `rows` that were listed.
  FarLists lists(std::uint64_t count, const DeviceFarRows& rows) const
  {
    return {owners_.data(), firsts_.data(), ends_.data(), count, rows.targets.data()};
  }

  // Bins of far targets, of questions, of delegates; their counts are zero, and in `stream` nothing has been sent.
  TargetBins target_bins(const device::Stream& stream)
  {
    sent_.fill_bytes(0, stream);
    return {bins(out_before_), numbers_.data(), sent_.data(), numbers_before_.data()};
  }
  BinsView question_bins() const { return bins(in_before_); }
  BinsView home_bins() const { return bins(homes_before_); }

  // For a kernel that deals so many items.
  static unsigned blocks_for(std::uint64_t items) { return device::blocks_for(items, entries_per_block, 4096); }

  Vertex* numbers() { return numbers_.data(); }

 private:
  static unsigned bits_of_entries(const DevicePart& part)
  {
    std::uint64_t const most = std::max(part.out.targets.size(), part.incoming().targets.size());
    auto const bits = std::max(static_cast<unsigned>(std::bit_width(most)), 1u);
    if (bits + static_cast<unsigned>(std::bit_width(part.layout.vertices)) > 64)
      throw Error(ErrorKind::memory, "a part has more vertices and edges than one GPU can number; use more devices");
    return bits;
  }
  BinsView bins(const device::Buffer<std::uint64_t>& before) const
  {
    return {before.data(), counts_, static_cast<unsigned>(part_.devices)};
  }

  const DevicePart& part_;
  Count* counts_;
  unsigned entry_bits_;
  device::Buffer<Vertex> owners_;
  device::Buffer<EdgeIndex> firsts_;
  device::Buffer<std::uint64_t> ends_;
  device::Buffer<Vertex> numbers_;  // in bins
  device::Buffer<std::uint64_t> out_before_, in_before_, homes_before_, numbers_before_;
  device::Buffer<std::uint32_t> sent_;  // empty where it does not matter what goes twice
};

}  // namespace brushfire::cuda
