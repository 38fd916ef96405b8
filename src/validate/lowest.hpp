// The smallest index that any thread offered: a violation is reported by its first witness, whatever
// the number of threads that met it.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace brushfire {

class Lowest {
 public:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  // Relaxed: nothing is read through the index before the parallel region ends.
  void offer(std::uint64_t index)
  {
    std::uint64_t lowest = index_.load(std::memory_order_relaxed);
    while (index < lowest && !index_.compare_exchange_weak(lowest, index, std::memory_order_relaxed)) {
    }
  }

  std::uint64_t index() const { return index_.load(std::memory_order_relaxed); }
  bool found() const { return index() != none; }

 private:
  std::atomic<std::uint64_t> index_{none};
};

}  // namespace brushfire
