// The memory of GPUs, of which each device of the process uses one, several perhaps the same. Where GPUs can reach each
// other's memory masks are joined there; where not, on the host.
#pragma once

#include "device/arena.hpp"
#include "device/stream.hpp"
#include "exchange/memory.hpp"

#include <vector>

namespace brushfire::cuda {

class GpuMemory final : public Memory {
 public:
  explicit GpuMemory(std::vector<int> gpus);  // by device

  void join(std::span<const Mask> changed, std::span<const Mask> masks, std::size_t first, std::size_t last,
            int device) override;
  void copy(void* to, const void* from, std::size_t bytes, int device) override;
  std::span<const std::byte> sent(std::span<const std::byte> bytes) override;
  void forget_sent() override;

 private:
  void join_on_host(std::span<const Mask> changed, std::span<const Mask> masks, std::size_t first, std::size_t last,
                    int device);
  const device::Stream& stream_of(int device) const { return streams_[static_cast<std::size_t>(device)]; }

  std::vector<int> gpus_;
  std::vector<device::Stream> streams_;  // so that nothing waits behind a device's search
  bool all_reach_all_;
  device::PinnedArena sent_;
};

}  // namespace brushfire::cuda
