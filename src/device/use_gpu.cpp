#include "device/use_gpu.hpp"

#include "device/check.hpp"
#include "device/gpus.hpp"

#include <algorithm>

namespace brushfire::device {

namespace {

int searching_gpu()
{
  auto const& gpus = list_gpus().gpus;
  auto const usable = std::find_if(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return gpu.usable(); });
  return usable == gpus.end() ? 0 : static_cast<int>(usable - gpus.begin());
}

}  // namespace

UseGpu::UseGpu()
{
  static int const gpu = searching_gpu();
  check(cudaGetDevice(&before_), "asking for the current device");
  if (before_ != gpu) check(cudaSetDevice(gpu), "selecting it");
}

UseGpu::~UseGpu()
{
  (void)cudaSetDevice(before_);  // it was the current one before, so it can be so again
}

}  // namespace brushfire::device
