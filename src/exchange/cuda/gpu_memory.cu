#include "base/room.hpp"
#include "device/launch.cuh"
#include "device/use_gpu.hpp"
#include "exchange/cuda/gpu_memory.hpp"
#include "exchange/cuda/place.hpp"

#include <algorithm>
#include <utility>

namespace brushfire::cuda {

namespace {

constexpr std::size_t masks_at_a_time = 128;  // that the arguments of a kernel have room for

struct MaskList {
  std::uint64_t* words[masks_at_a_time];
  unsigned count;
};

MaskList list_of(std::span<const Memory::Mask> masks)
{
  MaskList list{};
  for (const Memory::Mask mask : masks) list.words[list.count++] = mask.data();
  return list;
}

__global__ void join_thread_per_word(const __grid_constant__ MaskList from, const __grid_constant__ MaskList to,
                                     std::size_t first, std::size_t count)
{
  device::for_each_item(count, [&](std::uint64_t i) {
    std::uint64_t joined = 0;
    for (unsigned k = 0; k < from.count; ++k) joined |= __ldcg(from.words[k] + first + i);
    for (unsigned k = 0; k < to.count; ++k) __stcg(to.words[k] + first + i, joined);
  });
}

// Lets every one of the GPUs reach the memory of every other, or says that not all can.
bool reach_each_other(const std::vector<int>& gpus)
{
  for (int const gpu : gpus)
    for (int const other : gpus) {
      if (gpu == other) continue;
      int can = 0;
      device::check(cudaDeviceCanAccessPeer(&can, gpu, other), "asking whether GPUs reach each other");
      if (can == 0) return false;
      device::UseGpu const use(gpu);
      cudaError_t const status = cudaDeviceEnablePeerAccess(other, 0);
      if (status != cudaSuccess) (void)cudaGetLastError();
      if (status == cudaErrorTooManyPeers) return false;  // a GPU has room for a few only
      if (status != cudaErrorPeerAccessAlreadyEnabled) device::check(status, "letting a GPU reach another");
    }
  return true;
}

}  // namespace

GpuMemory::GpuMemory(std::vector<int> gpus) : gpus_(std::move(gpus)), all_reach_all_(reach_each_other(gpus_))
{
  for (std::size_t device = 0; device < gpus_.size(); ++device) {
    device::UseGpu const use(gpus_[device]);
    streams_.emplace_back();
    auto const before = gpus_.begin() + static_cast<std::ptrdiff_t>(device);
    if (std::find(gpus_.begin(), before, gpus_[device]) == before) joiners_.push_back(static_cast<int>(device));
  }
}

void GpuMemory::join(std::span<const Mask> changed, std::span<const Mask> masks, int device)
{
  auto const joiner = std::find(joiners_.begin(), joiners_.end(), device);
  if (joiner == joiners_.end()) return;
  auto const share = static_cast<std::size_t>(joiner - joiners_.begin());
  std::size_t const words = masks.front().size();
  std::size_t const first = words * share / joiners_.size(), last = words * (share + 1) / joiners_.size();
  if (first == last) return;
  if (!all_reach_all_) return join_on_host(changed, masks, first, last, device);
  device::UseGpu const use(gpus_[static_cast<std::size_t>(device)]);
  const device::Stream& stream = stream_of(device);
  auto const join_some = [&](std::span<const Mask> from, std::span<const Mask> to) {
    device::launch_over(last - first, join_thread_per_word, stream, list_of(from), list_of(to), first, last - first);
  };
  // What comes first is joined into the first mask, which then stands for all of it.
  std::vector<Mask> left(changed.begin(), changed.end());
  while (left.size() > masks_at_a_time) {
    join_some(std::span(left).first(masks_at_a_time), masks.first(1));
    left.erase(left.begin(), left.begin() + masks_at_a_time - 1);
    left.front() = masks.front();
  }
  join_some(left, masks.first(std::min(masks.size(), masks_at_a_time)));
  for (auto rest = masks.subspan(std::min(masks.size(), masks_at_a_time)); !rest.empty();
       rest = rest.subspan(std::min(rest.size(), masks_at_a_time)))
    join_some(masks.first(1), rest.first(std::min(rest.size(), masks_at_a_time)));
  stream.wait();
}

void GpuMemory::join_on_host(std::span<const Mask> changed, std::span<const Mask> masks, std::size_t first,
                             std::size_t last, int device)
{
  std::size_t const words = last - first, bytes = words * sizeof(std::uint64_t);
  std::vector<std::uint64_t> joined(words, 0), other(words);
  for (Mask const mask : changed) {
    copy(other.data(), mask.data() + first, bytes, device);
    for (std::size_t w = 0; w < words; ++w) joined[w] |= other[w];
  }
  for (Mask const mask : masks) copy(mask.data() + first, joined.data(), bytes, device);
}

void GpuMemory::copy(void* to, const void* from, std::size_t bytes, int device)
{
  device::UseGpu const use(gpus_[static_cast<std::size_t>(device)]);
  device::copy_anywhere(to, from, bytes, stream_of(device));
  stream_of(device).wait();
}

Memory::Mask GpuMemory::spare_mask(std::size_t words)
{
  device::UseGpu const use(gpus_.front());
  make_room(spare_, words);
  return {spare_.data(), words};
}

std::span<const std::byte> GpuMemory::in_a_row(std::span<const std::span<const std::byte>> parts)
{
  std::size_t bytes = 0;
  for (auto const part : parts) bytes += part.size();
  if (bytes == 0 || !is_on_gpu(parts.front().data())) return on_host_.in_a_row(parts);
  device::UseGpu const use(gpus_.front());
  std::byte* const row = rows_.take(bytes);
  std::byte* next = row;
  for (auto const part : parts) {
    device::copy_anywhere(next, part.data(), part.size(), streams_.front());
    next += part.size();
  }
  streams_.front().wait();
  return {row, bytes};
}

void GpuMemory::forget_rows()
{
  rows_.give_back();
  on_host_.forget_rows();
}

}  // namespace brushfire::cuda
