// Pieces between device memory and the exchange, by way of pinned host memory. What goes out is copied there and stays
// until the next round; what comes in is copied before the exchange takes it back, and is on the device in stream
// order. Buffers grow to the largest round there was.
#pragma once

#include "device/buffer.hpp"
#include "device/stream.hpp"
#include "exchange/exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace brushfire::cuda {

class PieceStaging {
 public:
  explicit PieceStaging(const device::Stream& stream) : stream_(stream) {}

  // Before anything of a round is added; the stream is idle.
  void begin_round();

  // Starts copying a piece for `device` from device memory.
  void add(int device, const void* from, std::size_t bytes);
  // Items in bins, that of device k at bins + item_bytes * before[k].
  void add_bins(const void* bins, std::size_t item_bytes, std::span<const std::uint64_t> before,
                std::span<const std::uint64_t> counts);
  // Waits for the stream; then they can be posted.
  std::span<const brushfire::Piece> pieces();

  // Starts copying a piece that has arrived to device memory: to `to`, or to a place that the next piece takes again.
  void land_at(void* to, brushfire::Piece arrived);
  void* land(brushfire::Piece arrived);

 private:
  struct Parcel {
    int device;
    std::size_t first, bytes;
  };

  const device::Stream& stream_;
  device::PinnedBuffer<std::byte> outgoing_, arriving_;
  std::size_t outgoing_bytes_ = 0, arriving_bytes_ = 0;
  device::Buffer<std::byte> landed_;
  std::vector<Parcel> parcels_;
  std::vector<brushfire::Piece> pieces_;
};

// At least `size` long; what it held before is lost. The stream is waited for where somebody might still use that.
template <typename T>
T* grow(device::Buffer<T>& buffer, std::size_t size, const device::Stream& stream)
{
  if (buffer.size() < size) {
    stream.wait();
    buffer = device::Buffer<T>();  // gone before its successor is there
    buffer = device::Buffer<T>(size + size / 4);
  }
  return buffer.data();
}

}  // namespace brushfire::cuda
