#include "device/buffer.hpp"

#include "base/error.hpp"
#include "device/check.hpp"
#include "device/gpus.hpp"
#include "device/use_gpu.hpp"

#include <brushfire/report.hpp>

#include <atomic>

namespace brushfire::device {

namespace {

std::atomic<std::uint64_t> bytes_now{0};

}  // namespace

void* allocate(std::size_t bytes)
{
  void* start = nullptr;
  cudaError_t const status = cudaMalloc(&start, bytes);
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for its memory");
    fail(ErrorKind::memory, "the GPU has {} free and {} are needed at once; choose a smaller graph, or --device cpu",
         human_bytes(free), human_bytes(bytes));
  }
  check(status, "allocating memory");
  bytes_now.fetch_add(bytes, std::memory_order_relaxed);
  return start;
}

void release(void* start, std::size_t bytes) noexcept
{
  (void)cudaFree(start);  // fails only after an error that was reported already
  bytes_now.fetch_sub(bytes, std::memory_order_relaxed);
}

void* allocate_pinned(std::size_t bytes)
{
  void* start = nullptr;
  cudaError_t const status = cudaHostAlloc(&start, bytes, cudaHostAllocDefault);
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    fail(ErrorKind::memory, "the host has no {} left to share with the GPU; choose a smaller graph",
         human_bytes(bytes));
  }
  check(status, "pinning host memory");
  return start;
}

void release_pinned(void* start) noexcept { (void)cudaFreeHost(start); }

void copy_from_gpu(void* to, const void* from, std::size_t bytes)
{
  cudaPointerAttributes place{};
  check(cudaPointerGetAttributes(&place, from), "looking at an array of the caller's");
  if (place.type != cudaMemoryTypeDevice && place.type != cudaMemoryTypeManaged)
    fail(ErrorKind::usage, "an array that is said to be on a GPU is not there");
  UseGpu const there(place.device);
  check(cudaDeviceSynchronize(), "waiting for an array of the caller's");
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying an array of the caller's");
}

bool is_on_this_gpu(const void* array)
{
  UseGpu const gpu;
  int current = 0;
  check(cudaGetDevice(&current), "asking for the current GPU");
  cudaPointerAttributes place{};
  check(cudaPointerGetAttributes(&place, array), "looking at an array of the caller's");
  if (place.type != cudaMemoryTypeManaged && (place.type != cudaMemoryTypeDevice || place.device != current))
    return false;
  check(cudaDeviceSynchronize(), "waiting for an array of the caller's");
  return true;
}

std::uint64_t allocated_bytes() { return bytes_now.load(std::memory_order_relaxed); }

}  // namespace brushfire::device
