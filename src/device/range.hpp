// A named span of a host thread's time for a profiler: Nsight Systems draws it above the kernels that run meanwhile
// (NVTX). Ranges of a thread nest. Without a profiler one costs a few nanoseconds, in a build without CUDA nothing.
#pragma once

#include <string>

namespace brushfire::device {

class Range {
 public:
  explicit Range(const char* name);
  explicit Range(const std::string& name) : Range(name.c_str()) {}
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  ~Range();
};

}  // namespace brushfire::device
