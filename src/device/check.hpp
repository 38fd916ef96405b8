// Every CUDA call and every launch is followed by a check, which turns a failure into one clear line.
#pragma once

#include <cuda_runtime_api.h>

namespace brushfire::device {

// Throws Error(memory) when the device has no room, Error(failure) for everything else.
void check(cudaError_t status, const char* doing);

}  // namespace brushfire::device
