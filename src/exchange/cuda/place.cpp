#include "exchange/cuda/place.hpp"

#include "device/check.hpp"

namespace brushfire::cuda {

int gpu_of(const void* start)
{
  cudaPointerAttributes attributes{};
  device::check(cudaPointerGetAttributes(&attributes, start), "asking where memory is");
  return attributes.type == cudaMemoryTypeDevice ? attributes.device : host_memory;
}

}  // namespace brushfire::cuda
