// The GPU that searches is the first usable one. CUDA keeps a current device per host thread, and a caller may have
// chosen another for work of its own: whoever touches the GPU holds one of these, and leaves the thread as it was.
#pragma once

namespace brushfire::device {

class UseGpu {
 public:
  UseGpu();
  UseGpu(const UseGpu&) = delete;
  UseGpu& operator=(const UseGpu&) = delete;
  ~UseGpu();

 private:
  int before_ = 0;
};

}  // namespace brushfire::device
