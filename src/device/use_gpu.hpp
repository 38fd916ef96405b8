// The GPU that searches alone is the first usable one. CUDA keeps a current device per host thread, and a caller may
// have chosen another for work of its own: whoever touches the GPU holds one of these, and leaves the thread as it was.
#pragma once

#include <vector>

namespace brushfire::device {

class UseGpu {
 public:
  UseGpu();
  explicit UseGpu(int gpu);
  UseGpu(const UseGpu&) = delete;
  UseGpu& operator=(const UseGpu&) = delete;
  ~UseGpu();

 private:
  int before_ = 0;
};

const std::vector<int>& usable_gpus();  // their numbers

}  // namespace brushfire::device
