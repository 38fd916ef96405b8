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

// Who changes it asks the system to wake others only where somebody sleeps: mostly nobody does, and the call takes
// longer than a small level.
struct WatchedNumber : std::atomic<std::uint32_t> {
  using std::atomic<std::uint32_t>::atomic;
  mutable std::atomic<std::uint32_t> sleepers{0};
};

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
  const std::atomic<std::uint32_t>& watched = number;
  static_assert(sizeof(watched) == sizeof(std::uint32_t));
  return syscall(SYS_futex, &watched, operation, value, nullptr, nullptr, 0);
}

// Returns when `number` is not `old`; what its writer did before is seen then. Awake only if `watch`.
inline void wait_while(const WatchedNumber& number, std::uint32_t old, bool watch)
{
  for (int i = 0; watch && i < watches_before_sleep; ++i) {
    if (number.load(std::memory_order_acquire) != old) return;
    relax_core();
  }
  // Either who changes the number sees this sleeper, or this sleeper sees the change.
  number.sleepers.fetch_add(1, std::memory_order_seq_cst);
  while (number.load(std::memory_order_seq_cst) == old) futex(number, FUTEX_WAIT_PRIVATE, old);
  number.sleepers.fetch_sub(1, std::memory_order_relaxed);
}

inline void wake(const WatchedNumber& number, int sleepers)
{
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (number.sleepers.load(std::memory_order_relaxed) != 0) futex(number, FUTEX_WAKE_PRIVATE, sleepers);
}

// For who has changed it.
inline void wake_one(const WatchedNumber& number) { wake(number, 1); }
inline void wake_all(const WatchedNumber& number) { wake(number, INT_MAX); }

}  // namespace brushfire
