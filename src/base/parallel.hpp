// Parallel loops over index ranges. A Team says how many threads take part and is passed down
// explicitly, so that two callers in one process never change each other's thread count.
//
// Work is handed out in blocks from one counter: when a core is taken away by another program, the
// thread on it simply takes fewer blocks. An exception in a block is carried to the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include <omp.h>

namespace brushfire {

struct Team {
  int threads = 1;

  // As many threads as `requested`, or one per processor this process may use when it is 0.
  static Team of(int requested) { return {requested > 0 ? requested : omp_get_num_procs()}; }

  // Calls body(first, last, thread) until [0, count) is covered; blocks have at most `grain` indices
  // and start at multiples of it.
  template <typename Body>
  void for_blocks(std::uint64_t count, std::uint64_t grain, Body&& body) const
  {
    std::uint64_t const blocks = (count + grain - 1) / grain;
    if (threads == 1 || blocks <= 1) {
      for (std::uint64_t block = 0; block < blocks; ++block)
        body(block * grain, std::min(count, (block + 1) * grain), 0);
      return;
    }
    std::atomic<std::uint64_t> next{0};
    run([&](int thread) {
      for (;;) {
        std::uint64_t const block = next.fetch_add(1, std::memory_order_relaxed);
        if (block >= blocks) return;
        body(block * grain, std::min(count, (block + 1) * grain), thread);
      }
    });
  }

  // Calls body(thread) once on every thread of the team, and waits for all.
  template <typename Body>
  void run(Body&& body) const
  {
    std::exception_ptr error;
    std::mutex error_guard;
#pragma omp parallel num_threads(threads)
    {
      try {
        body(omp_get_thread_num());
      } catch (...) {
        std::lock_guard const lock(error_guard);
        if (!error) error = std::current_exception();
      }
    }
    if (error) std::rethrow_exception(error);
  }
};

}  // namespace brushfire
