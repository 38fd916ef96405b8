// The worker threads. They are started when first needed, stay for the life of the process, watch for a new job for a
// short while and then sleep.
//
// gate_ tells whether the current job may be entered and how many workers are inside. A worker enters by counting
// itself in while the gate is open; the caller closes the gate when it finds no work left, and then only waits for
// those that are inside. So a job never outlives the stack frame it points to, and nobody waits for a sleeper.
#include "base/parallel.hpp"

#include "base/watch.hpp"

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>

namespace brushfire::workers {

namespace {

class Pool {
 public:
  void run(const Job& job)
  {
    if (inside_a_job_) return job.enter(job.context, 0);
    std::unique_lock const busy(busy_, std::try_to_lock);
    if (!busy.owns_lock()) return job.enter(job.context, 0);
    hire(job.threads - 1);
    job_ = &job;
    next_thread_.store(1, std::memory_order_relaxed);
    error_ = nullptr;
    gate_.store(gate_open, std::memory_order_release);  // publishes the job to those that enter
    announce();
    enter(job, 0);
    close_gate();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  static constexpr std::uint32_t gate_open = 1u << 31;  // the lower bits count the workers inside

  void hire(int workers)
  {
    try {
      while (static_cast<int>(threads_.size()) < workers) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The system grants no more threads: those there are do the work.
    }
  }

  void announce()
  {
    announced_.fetch_add(1, std::memory_order_release);
    announced_.notify_all();
  }

  void enter(const Job& job, int thread)
  {
    inside_a_job_ = true;
    try {
      job.enter(job.context, thread);
    } catch (...) {
      std::lock_guard const lock(error_guard_);
      if (!error_) error_ = std::current_exception();
    }
    inside_a_job_ = false;
  }

  void close_gate()
  {
    std::uint32_t gate = gate_.fetch_and(~gate_open, std::memory_order_acq_rel) & ~gate_open;
    for (int watches = 0; gate != 0; gate = gate_.load(std::memory_order_acquire)) {
      if (++watches < watches_before_sleep)
        relax_core();
      else
        gate_.wait(gate, std::memory_order_acquire);
    }
  }

  void work()
  {
    for (std::uint32_t seen = 0;;) {
      for (int watches = 0; announced_.load(std::memory_order_acquire) == seen; ++watches) {
        if (watches < watches_before_sleep)
          relax_core();
        else
          announced_.wait(seen, std::memory_order_acquire);
      }
      seen = announced_.load(std::memory_order_acquire);
      std::uint32_t gate = gate_.load(std::memory_order_acquire);
      while ((gate & gate_open) != 0) {
        if (!gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel)) continue;
        int const thread = next_thread_.fetch_add(1, std::memory_order_relaxed);
        if (thread < job_->threads) enter(*job_, thread);
        if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) gate_.notify_one();  // last one out, gate closed
        break;
      }
    }
  }

  std::mutex busy_;
  std::vector<std::thread> threads_;
  const Job* job_ = nullptr;
  std::atomic<int> next_thread_{0};
  alignas(64) std::atomic<std::uint32_t> gate_{0};
  alignas(64) std::atomic<std::uint32_t> announced_{0};
  std::mutex error_guard_;
  std::exception_ptr error_;
  static thread_local bool inside_a_job_;  // a loop inside a loop runs on its own thread
};

thread_local bool Pool::inside_a_job_ = false;

}  // namespace

void run(const Job& job)
{
  // Never destroyed: its sleeping threads end with the process, and a child of fork() has none to wait for.
  static Pool& pool = *new Pool;
  pool.run(job);
}

}  // namespace brushfire::workers

namespace brushfire {

namespace {

std::atomic<int> processes_together{1};

}  // namespace

int processors_of_machine() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

int processors()
{
  int const all = processors_of_machine();
  cpu_set_t allowed;
  int const mine = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : all;
  return mine < all ? std::max(1, mine) : std::max(1, all / processes_together.load());
}

void share_processors(int processes) { processes_together = std::max(1, processes); }

}  // namespace brushfire
