// Wall-clock time in seconds.
#pragma once

#include <chrono>
#include <utility>

namespace brushfire {

class Stopwatch {
 public:
  double started() const { return std::chrono::duration<double>(start_.time_since_epoch()).count(); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  // The time so far, and from now on that of what follows.
  double lap()
  {
    Clock::time_point const now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace brushfire
