#include "device/buffer.hpp"
#include "device/check.hpp"
#include "device/gpus.hpp"

#include <brushfire/error.hpp>

#include <unistd.h>
#include <cstring>

namespace brushfire::device {

namespace {

__global__ void answer(int* value) { *value = 42; }

// A kernel that runs is the only proof: the driver may be too old for the code in this program, the GPU of a kind it
// was not built for, or taken by somebody else.
std::string problem_of(int index)
{
  try {
    check(cudaSetDevice(index), "selecting it");
    PinnedBuffer<int> value(1);
    value[0] = 0;
    Stream const stream;
    answer<<<1, 1, 0, stream.handle()>>>(value.data());
    check(cudaGetLastError(), "starting a first kernel");
    stream.wait();
    return value[0] == 42 ? "" : "a first kernel gave a wrong answer";
  } catch (const Error& error) {
    return error.what();
  }
}

Gpu describe(int index)
{
  Gpu gpu;
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) {
    (void)cudaGetLastError();
    gpu.problem = "the driver does not describe it";
    return gpu;
  }
  gpu.name = properties.name;
  gpu.compute_capability = 10 * properties.major + properties.minor;
  gpu.multiprocessors = properties.multiProcessorCount;
  gpu.memory_bytes = properties.totalGlobalMem;
  gpu.problem = properties.cooperativeLaunch != 0 ? problem_of(index) : "it cannot start cooperative kernels";
  if (std::size_t total = 0; gpu.usable() && cudaMemGetInfo(&gpu.free_bytes, &total) != cudaSuccess)
    (void)cudaGetLastError();
  return gpu;
}

bool driver_is_loaded() { return access("/proc/driver/nvidia/version", F_OK) == 0; }

Gpus look()
{
  Gpus found;
  int count = 0;
  cudaError_t const status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    (void)cudaGetLastError();
    // Without any driver the runtime calls it insufficient.
    found.problem = driver_is_loaded() ? cudaGetErrorString(status) : "this machine has no NVIDIA driver";
    found.hidden = driver_is_loaded() && status != cudaErrorNoDevice;
    return found;
  }
  int before = 0;
  (void)cudaGetDevice(&before);
  for (int index = 0; index < count; ++index) found.gpus.push_back(describe(index));
  (void)cudaSetDevice(before);  // probing must not choose a device for the thread
  if (count == 0) found.problem = "the driver shows no GPU";
  return found;
}

}  // namespace

bool built_with_cuda() { return true; }

const Gpus& list_gpus()
{
  static Gpus const gpus = look();
  return gpus;
}

GpuName name_of_gpu(int gpu)
{
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, gpu), "asking for its name");
  GpuName name;
  static_assert(sizeof(properties.uuid) == sizeof(name));
  std::memcpy(&name, &properties.uuid, sizeof(name));
  return name;
}

std::uint64_t free_gpu_bytes()
{
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for its memory");
  return free;
}

unsigned multiprocessors()
{
  int current = 0, count = 0;
  check(cudaGetDevice(&current), "asking for the current device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, current), "counting its multiprocessors");
  return static_cast<unsigned>(count);
}

std::string why_no_gpu()
{
  const Gpus& found = list_gpus();
  if (found.gpus.empty()) return found.problem;
  for (auto const& gpu : found.gpus)
    if (gpu.usable()) return "";
  return found.gpus.front().name + ": " + found.gpus.front().problem;
}

}  // namespace brushfire::device
