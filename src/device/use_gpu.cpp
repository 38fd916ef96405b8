#include "device/use_gpu.hpp"

#include "device/check.hpp"
#include "device/gpus.hpp"

#include <cstddef>

namespace brushfire::device {

const std::vector<int>& usable_gpus()
{
  static std::vector<int> const usable = [] {
    std::vector<int> numbers;
    auto const& gpus = list_gpus().gpus;
    for (std::size_t i = 0; i < gpus.size(); ++i)
      if (gpus[i].usable()) numbers.push_back(static_cast<int>(i));
    return numbers;
  }();
  return usable;
}

UseGpu::UseGpu() : UseGpu(usable_gpus().empty() ? 0 : usable_gpus().front()) {}

UseGpu::UseGpu(int gpu)
{
  check(cudaGetDevice(&before_), "asking for the current device");
  if (before_ != gpu) check(cudaSetDevice(gpu), "selecting it");
}

UseGpu::~UseGpu()
{
  (void)cudaSetDevice(before_);  // it was the current one before, so it can be so again
}

}  // namespace brushfire::device
