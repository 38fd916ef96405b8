// Stands in for everything that needs CUDA in a build without the toolkit: no GPU is ever usable there.
#include "device/gpus.hpp"

namespace brushfire::device {

const Gpus& list_gpus()
{
  static Gpus const none{{}, "this program was built without CUDA"};
  return none;
}

std::string why_no_gpu() { return list_gpus().problem; }

}  // namespace brushfire::device
