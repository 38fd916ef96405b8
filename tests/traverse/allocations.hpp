// Counts what all threads of this program allocate while it is told to. CMake takes allocations_counted.cpp for it, and
// under a sanitizer allocations_hooked.cpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace brushfire::testing {

inline std::atomic<bool> counting_allocations{false};
inline std::atomic<std::uint64_t> allocations{0};

inline void count_allocation()
{
  if (counting_allocations.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace brushfire::testing
