// Pieces in device memory. What goes out stays where it is, and the exchange is told; what comes in is used where it
// is if that is this GPU's memory, and copied here in stream order if it is another's or the host's.
#pragma once

#include "device/arena.hpp"
#include "device/stream.hpp"
#include "exchange/exchange.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace brushfire::cuda {

class DevicePieces {
 public:
  explicit DevicePieces(const device::Stream& stream) : stream_(stream) {}

  // Where so many pieces with so many bytes land in memory of their own between two rounds that begin here.
  static std::uint64_t predict_bytes(std::uint64_t landed, std::uint64_t pieces)
  {
    return device::DeviceArena::most_held(
        saturating_sum({landed, saturating_product(pieces, device::DeviceArena::alignment)}));
  }

  // What lands at one time where it is released whenever that is much: no more than `landed` in all.
  static std::uint64_t most_unreleased(std::uint64_t landed, std::uint64_t largest_piece)
  {
    return std::min(landed, saturating_sum({much, largest_piece}));
  }

  // Before anything of a round is added; the stream has done with all that landed before.
  void begin_round();

  void add(int device, const void* from, std::size_t bytes);
  // Items in bins, that of device k at bins + item_bytes * before[k].
  void add_bins(const void* bins, std::size_t item_bytes, std::span<const std::uint64_t> before,
                std::span<const std::uint64_t> counts);
  // They can be posted when the stream has written them: it is waited for.
  std::span<const Piece> pieces();

  // Where a piece that has arrived can be read by work put into the stream from now on, until the next round.
  const void* land(Piece arrived);
  // Whether so much has landed that a caller who needs it no more should wait for the stream and give it back.
  bool has_landed_much() const { return landed_.used() >= much; }
  void release();
  // The same as land() in memory of its own, so that it outlasts what the exchange does with the memory it came in.
  const void* keep(Piece arrived);

 private:
  static constexpr std::uint64_t much = 64 << 20;  // bytes

  void forget_landed();

  const device::Stream& stream_;
  std::vector<Piece> pieces_;
  device::DeviceArena landed_;
  device::PinnedArena staged_;  // on its way from the host
};

}  // namespace brushfire::cuda
