// Waiting for another thread: a short while awake, because what it does is mostly done at once, then asleep.
#pragma once

#include <atomic>

namespace brushfire {

// About 20 microseconds on current machines: longer than the gap between two loops of a search, shorter than a nap.
inline constexpr int watches_before_sleep = 2000;

inline void relax_core()
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Returns when `value` is not `old`; what its writer did before is seen then. Awake only if `watch`.
template <typename T>
void wait_while(const std::atomic<T>& value, T old, bool watch)
{
  for (int i = 0; watch && i < watches_before_sleep; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax_core();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

}  // namespace brushfire
