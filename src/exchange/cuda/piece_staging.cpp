#include "exchange/cuda/piece_staging.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace brushfire::cuda {

namespace {

constexpr std::size_t alignment = 16;
constexpr std::size_t least_bytes = 1 << 12;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

void PieceStaging::begin_round()
{
  outgoing_bytes_ = arriving_bytes_ = 0;
  parcels_.clear();
}

void PieceStaging::add(int device, const void* from, std::size_t bytes)
{
  std::size_t const room = aligned(bytes);
  if (outgoing_bytes_ + room > outgoing_.size()) {
    stream_.wait();  // copies into the old one
    device::PinnedBuffer<std::byte> larger(std::max({least_bytes, 2 * outgoing_.size(), outgoing_bytes_ + room}));
    std::copy_n(outgoing_.data(), outgoing_bytes_, larger.data());
    outgoing_ = std::move(larger);
  }
  device::copy_to_host(outgoing_.data() + outgoing_bytes_, from, bytes, stream_);
  parcels_.push_back({device, outgoing_bytes_, bytes});
  outgoing_bytes_ += room;
}

void PieceStaging::add_bins(const void* bins, std::size_t item_bytes, std::span<const std::uint64_t> before,
                            std::span<const std::uint64_t> counts)
{
  for (std::size_t device = 0; device < counts.size(); ++device)
    if (counts[device] != 0)
      add(static_cast<int>(device), static_cast<const std::byte*>(bins) + item_bytes * before[device],
          item_bytes * counts[device]);
}

std::span<const brushfire::Piece> PieceStaging::pieces()
{
  stream_.wait();
  pieces_.clear();
  for (const Parcel& parcel : parcels_)
    pieces_.push_back({parcel.device, std::as_bytes(outgoing_.span().subspan(parcel.first, parcel.bytes))});
  return pieces_;
}

void PieceStaging::land_at(void* to, brushfire::Piece arrived)
{
  std::size_t const bytes = arrived.bytes.size(), room = aligned(bytes);
  if (arriving_bytes_ + room > arriving_.size()) {
    stream_.wait();  // copies out of the old one: nothing of it is needed any more
    if (room > arriving_.size())
      arriving_ = device::PinnedBuffer<std::byte>(std::max({least_bytes, 2 * arriving_.size(), room}));
    arriving_bytes_ = 0;
  }
  std::byte* const staged = arriving_.data() + arriving_bytes_;
  std::memcpy(staged, arrived.bytes.data(), bytes);
  device::copy_to_device(to, staged, bytes, stream_);
  arriving_bytes_ += room;
}

void* PieceStaging::land(brushfire::Piece arrived)
{
  void* const to = grow(landed_, arrived.bytes.size(), stream_);
  land_at(to, arrived);
  return to;
}

}  // namespace brushfire::cuda
