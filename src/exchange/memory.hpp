// Where the devices of a process keep what they post: in the memory of the host, or of GPUs. The exchange moves bytes
// and joins masks through it, whichever it is. Whatever is asked for is done when the call returns; `device` is who
// asks, counted among those of the process, each from a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace brushfire {

class Memory {
 public:
  using Mask = std::span<std::uint64_t>;

  virtual ~Memory() = default;
  // Words `first` to `last` of each of `masks` become the OR of those of `changed`, which are some of them.
  virtual void join(std::span<const Mask> changed, std::span<const Mask> masks, std::size_t first, std::size_t last,
                    int device) = 0;
  // Between any two places of this memory and of the host's.
  virtual void copy(void* to, const void* from, std::size_t bytes, int device) = 0;
  // Bytes that a wire can read, until forget_sent().
  virtual std::span<const std::byte> sent(std::span<const std::byte> bytes) = 0;
  virtual void forget_sent() = 0;
};

class HostMemory final : public Memory {
 public:
  void join(std::span<const Mask> changed, std::span<const Mask> masks, std::size_t first, std::size_t last,
            int) override
  {
    for (std::size_t w = first; w < last; ++w) {
      std::uint64_t joined = 0;
      for (Mask const mask : changed) joined |= mask[w];
      for (Mask const mask : masks) mask[w] = joined;
    }
  }
  void copy(void* to, const void* from, std::size_t bytes, int) override
  {
    if (bytes != 0) std::memcpy(to, from, bytes);
  }
  std::span<const std::byte> sent(std::span<const std::byte> bytes) override { return bytes; }
  void forget_sent() override {}
};

}  // namespace brushfire
