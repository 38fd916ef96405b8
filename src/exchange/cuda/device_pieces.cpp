#include "exchange/cuda/device_pieces.hpp"

#include "device/check.hpp"
#include "exchange/cuda/place.hpp"

#include <cstring>

namespace brushfire::cuda {

namespace {

int current_gpu()
{
  int current = 0;
  device::check(cudaGetDevice(&current), "asking for the current device");
  return current;
}

}  // namespace

void DevicePieces::begin_round()
{
  pieces_.clear();
  forget_landed();
}

void DevicePieces::release()
{
  stream_.wait();
  forget_landed();
}

void DevicePieces::forget_landed()
{
  landed_.give_back();
  staged_.give_back();
}

void DevicePieces::add(int device, const void* from, std::size_t bytes)
{
  pieces_.push_back({device, {static_cast<const std::byte*>(from), bytes}});
}

void DevicePieces::add_bins(const void* bins, std::size_t item_bytes, std::span<const std::uint64_t> before,
                            std::span<const std::uint64_t> counts)
{
  for (std::size_t device = 0; device < counts.size(); ++device)
    if (counts[device] != 0)
      add(static_cast<int>(device), static_cast<const std::byte*>(bins) + item_bytes * before[device],
          item_bytes * counts[device]);
}

std::span<const Piece> DevicePieces::pieces()
{
  stream_.wait();
  return pieces_;
}

const void* DevicePieces::land(Piece arrived)
{
  return gpu_of(arrived.bytes.data()) == current_gpu() ? arrived.bytes.data() : keep(arrived);
}

const void* DevicePieces::keep(Piece arrived)
{
  const void* from = arrived.bytes.data();
  std::size_t const bytes = arrived.bytes.size();
  void* const to = landed_.take(bytes);
  if (!is_on_gpu(from)) {  // it may be overwritten before the copy is over
    std::byte* const staged = staged_.take(bytes);
    std::memcpy(staged, from, bytes);
    from = staged;
  }
  device::copy_anywhere(to, from, bytes, stream_);
  return to;
}

}  // namespace brushfire::cuda
