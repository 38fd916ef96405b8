// Parallel loops over index ranges. A Team says how many threads take part and is passed down
// explicitly, so that two callers in one process never change each other's thread count.
//
// A loop ends when its blocks are done: a thread that the system has not scheduled yet is not waited for. When other
// programs keep the cores busy, a loop gets slower, but never stands still for a time slice. An exception in a block is
// carried to the caller.
#pragma once

#include <algorithm>
#include <array>
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

// How many more threads so many callers, of `threads` each, would start; those that are there stay.
int to_hire(int callers, int threads);

// Of the calling thread: 0 for a caller, the same number above it in every job for a worker.
int place();

}  // namespace workers

// The blocks of a loop, cut into as many runs of neighbours as there are threads. A thread begins with the run of its
// place and then helps with the others': loops over the same vertices, one after the other, find what belongs to these
// in the caches of the same core. What another core has written is far: half a microsecond where the two share no
// cache.
class BlockRuns {
 public:
  BlockRuns(std::uint64_t blocks, int threads) : count_(std::clamp(threads, 1, most))
  {
    auto const runs = static_cast<std::uint64_t>(count_);
    for (std::uint64_t r = 0; r < runs; ++r) {
      runs_[r].next.store(blocks * r / runs, std::memory_order_relaxed);
      runs_[r].end = blocks * (r + 1) / runs;
    }
  }

  // Calls body(block) until all are taken.
  template <typename Body>
  void take_from(int place, Body&& body)
  {
    for (int i = 0; i < count_; ++i) {
      Run& run = runs_[(place + i) % count_];
      while (run.next.load(std::memory_order_relaxed) < run.end) {
        std::uint64_t const block = run.next.fetch_add(1, std::memory_order_relaxed);
        if (block < run.end) body(block);
      }
    }
  }

 private:
  static constexpr int most = 64;
  // On lines of their own: what the others read of the caller's frame stays in their caches.
  struct alignas(64) Run {
    std::atomic<std::uint64_t> next;
    std::uint64_t end;
  };

  int count_;
  std::array<Run, most> runs_;
};

int processors_of_machine();
// Those that this process may use. Processes that were started together and bound to none divide all of them:
// each says how many they are.
int processors();
void share_processors(int processes);

struct Team {
  int threads = 1;

  // As many threads as `requested`, or one per processor this process may use when it is 0.
  static Team of(int requested);  // throws Error(usage) for a number that makes no sense

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
    BlockRuns runs(blocks, threads);
    auto enter = [&](int thread) {
      runs.take_from(workers::place(), [&](std::uint64_t block) { run_block(block, thread); });
    };
    using Enter = decltype(enter);
    workers::run({[](void* context, int thread) { (*static_cast<Enter*>(context))(thread); }, &enter, threads});
  }
};

}  // namespace brushfire
