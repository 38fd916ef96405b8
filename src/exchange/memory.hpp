// Where the devices of a process keep what they post: in the memory of the host, or of GPUs. The exchange moves bytes
// and joins masks through it, whichever it is. Whatever is asked for is done when the call returns; `device` is who it
// is done for, counted among those of the process, one call at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace brushfire {

class Memory {
 public:
  using Mask = std::span<std::uint64_t>;

  virtual ~Memory() = default;
  // The share of `device` in making each of `masks` the OR of those of `changed`. When all devices have done theirs, it
  // is done.
  virtual void join(std::span<const Mask> changed, std::span<const Mask> masks, int device) = 0;
  // Between any two places of this memory and of the host's.
  virtual void copy(void* to, const void* from, std::size_t bytes, int device) = 0;
  // A mask of no device, until it is asked for again.
  virtual Mask spare_mask(std::size_t words) = 0;
  // The parts in one piece, until forget_rows().
  virtual std::span<const std::byte> in_a_row(std::span<const std::span<const std::byte>> parts) = 0;
  virtual void forget_rows() = 0;
};

class HostMemory final : public Memory {
 public:
  void join(std::span<const Mask> changed, std::span<const Mask> masks, int device) override
  {
    std::size_t const words = masks.front().size(), share = static_cast<std::size_t>(device);
    if (share >= masks.size()) return;  // there are fewer masks than devices
    for (std::size_t w = words * share / masks.size(); w < words * (share + 1) / masks.size(); ++w) {
      std::uint64_t joined = 0;
      for (Mask const mask : changed) joined |= mask[w];
      for (Mask const mask : masks) mask[w] = joined;
    }
  }
  void copy(void* to, const void* from, std::size_t bytes, int) override
  {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  Mask spare_mask(std::size_t words) override
  {
    spare_.resize(words);
    return spare_;
  }
  std::span<const std::byte> in_a_row(std::span<const std::span<const std::byte>> parts) override
  {
    if (used_rows_ == rows_.size()) rows_.emplace_back();
    auto& row = rows_[used_rows_++];
    row.clear();
    for (auto const part : parts) row.insert(row.end(), part.begin(), part.end());
    return row;
  }
  void forget_rows() override { used_rows_ = 0; }

 private:
  std::vector<std::uint64_t> spare_;
  std::vector<std::vector<std::byte>> rows_;
  std::size_t used_rows_ = 0;
};

}  // namespace brushfire
