// Waiting for another thread: a short while awake, because what it does is mostly done at once, then asleep.
//
// Asleep by the system's own call. std::atomic::wait of GCC offers its core to others a few times first, and where
// other programs want it each offer costs a time slice: four devices on two cores with one of them busy took 200
// levels in 650 ms so, instead of 5.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace brushfire {

using WatchedNumber = std::atomic<std::uint32_t>;

// About 20 microseconds on current machines: longer than the gap between two loops of a search, shorter than a nap.
inline constexpr int watches_before_sleep = 2000;

inline void relax_core()
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

inline long futex(const WatchedNumber& number, int operation, std::uint32_t value)
{
  static_assert(sizeof(WatchedNumber) == sizeof(std::uint32_t));
  return syscall(SYS_futex, &number, operation, value, nullptr, nullptr, 0);
}

// Returns when `number` is not `old`; what its writer did before is seen then. Awake only if `watch`.
inline void wait_while(const WatchedNumber& number, std::uint32_t old, bool watch)
{
  for (int i = 0; watch && i < watches_before_sleep; ++i) {
    if (number.load(std::memory_order_acquire) != old) return;
    relax_core();
  }
  while (number.load(std::memory_order_acquire) == old) futex(number, FUTEX_WAIT_PRIVATE, old);
}

// For who has changed it.
inline void wake_one(const WatchedNumber& number) { futex(number, FUTEX_WAKE_PRIVATE, 1); }
inline void wake_all(const WatchedNumber& number) { futex(number, FUTEX_WAKE_PRIVATE, INT_MAX); }

}  // namespace brushfire
