// Where memory is, as CUDA knows it.
#pragma once

namespace brushfire::cuda {

inline constexpr int host_memory = -1;

int gpu_of(const void* start);  // or host_memory
inline bool is_on_gpu(const void* start) { return gpu_of(start) != host_memory; }

}  // namespace brushfire::cuda
