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

  void join(std::span<const Mask> changed, std::span<const Mask> masks, int device) override;
  void copy(void* to, const void* from, std::size_t bytes, int device) override;
  Mask spare_mask(std::size_t words) override;
  std::span<const std::byte> in_a_row(std::span<const std::span<const std::byte>> parts) override;
  void forget_rows() override;

 private:
  void join_on_host(std::span<const Mask> changed, std::span<const Mask> masks, std::size_t first, std::size_t last,
                    int device);
  const device::Stream& stream_of(int device) const { return streams_[static_cast<std::size_t>(device)]; }

  std::vector<int> gpus_;
  std::vector<device::Stream> streams_;  // so that nothing waits behind a device's search
  std::vector<int> joiners_;             // the first device of each GPU: they join masks for all
  bool all_reach_all_;
  device::Buffer<std::uint64_t> spare_;  // on the first GPU, as rows are
  device::DeviceArena rows_;
  HostMemory on_host_;  // what is posted from there
};

}  // namespace brushfire::cuda
