// Parallel loops over index ranges. A Team says how many threads take part and is passed down
// explicitly, so that two callers in one process never change each other's thread count.
//
// Work is handed out in blocks from one counter, and a loop ends when its blocks are done: a thread that the system
// has not scheduled yet is not waited for. When other programs keep the cores busy, a loop gets slower, but
// never stands still for a time slice. An exception in a block is carried to the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace brushfire {

namespace workers {

// Work that any number of threads may enter; a thread that enters late finds nothing left and leaves.
struct Job {
  void (*enter)(void* context, int thread);
  void* context;
  int threads;  // at most this many, the caller included
};

// Enters the job on this thread and on up to job.threads - 1 workers, and returns when all that entered have left.
// Rethrows the first exception. Callers on different threads share the workers.
void run(const Job& job);

}  // namespace workers

int processors_of_machine();
// Those that this process may use. Processes that were started together and bound to none divide all of them:
// each says how many they are.
int processors();
void share_processors(int processes);

struct Team {
  int threads = 1;

  // As many threads as `requested`, or one per processor this process may use when it is 0.
  static Team of(int requested) { return {requested > 0 ? requested : processors()}; }

  // Calls body(first, last, thread) until [0, count) is covered; blocks have at most `grain` indices
  // and start at multiples of it. `thread` is below `threads`, and no two blocks run under one at the same time.
  template <typename Body>
  void for_blocks(std::uint64_t count, std::uint64_t grain, Body&& body) const
  {
    std::uint64_t const blocks = (count + grain - 1) / grain;
    auto const run_block = [&](std::uint64_t block, int thread) {
      body(block * grain, std::min(count, (block + 1) * grain), thread);
    };
    if (threads == 1 || blocks <= 1) {
      for (std::uint64_t block = 0; block < blocks; ++block) run_block(block, 0);
      return;
    }
    // On a line of its own: what the others read of this frame stays in their caches.
    struct alignas(64) {
      std::atomic<std::uint64_t> block{0};
    } next;
    auto enter = [&](int thread) {
      for (;;) {
        std::uint64_t const block = next.block.fetch_add(1, std::memory_order_relaxed);
        if (block >= blocks) return;
        run_block(block, thread);
      }
    };
    using Enter = decltype(enter);
    workers::run({[](void* context, int thread) { (*static_cast<Enter*>(context))(thread); }, &enter, threads});
  }
};

}  // namespace brushfire
