// The GPUs there are, and why one is not usable. Names no CUDA header; a build without CUDA has none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace brushfire::device {

struct Gpu {
  std::string name;
  int compute_capability = 0;  // 90 for 9.0
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::string problem;  // empty when it is usable
  bool usable() const { return problem.empty(); }
};

struct Gpus {
  std::vector<Gpu> gpus;
  std::string problem;  // why there is none, when there is none
  bool hidden = false;  // none, but its driver is there: something is wrong with it
};

bool built_with_cuda();
// Looks once; free_bytes are those of that moment.
const Gpus& list_gpus();
std::uint64_t free_gpu_bytes();  // now, on this thread's current device
unsigned multiprocessors();      // of the same
// Bytes a second, read and written, of a copy within the memory of the GPU that searches alone; 0: no room to measure.
double copy_bandwidth();
// The same on whatever rank asks, and for no two GPUs.
using GpuName = std::array<std::uint64_t, 2>;
GpuName name_of_gpu(int gpu);
// Empty when a GPU can be used.
std::string why_no_gpu();
// From an array of any GPU, whatever stream it is being filled in.
void copy_from_gpu(void* to, const void* from, std::size_t bytes);
// Whether kernels of the GPU that searches alone can read it. Waits for whatever is filling it.
bool is_on_this_gpu(const void* array);

}  // namespace brushfire::device
