// Wall-clock time in seconds.
#pragma once

#include <chrono>

namespace brushfire {

class Stopwatch {
 public:
  double started() const { return std::chrono::duration<double>(start_.time_since_epoch()).count(); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace brushfire
