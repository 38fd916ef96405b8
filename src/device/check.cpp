#include "device/check.hpp"

#include "base/error.hpp"

namespace brushfire::device {

void check(cudaError_t status, const char* doing)
{
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // an error that is not sticky must not be blamed on the next call
  if (status == cudaErrorMemoryAllocation)
    fail(ErrorKind::memory, "the GPU has no room left for {}; choose a smaller graph, or --device cpu", doing);
  fail(ErrorKind::failure, "the GPU failed while {}: {} ({}); `brushfire devices` says what is usable", doing,
       cudaGetErrorString(status), cudaGetErrorName(status));
}

}  // namespace brushfire::device
