// The worker threads. They are started when first needed, stay for the life of the process, watch for a new job for a
// short while and then sleep. Several callers, such as the devices of a process, have jobs at the same time, each at a
// site of its own, and the workers help wherever there is room.
//
// The gate of a site tells whether its job may be entered and how many workers are inside. A worker enters by counting
// itself in while the gate is open; the caller closes the gate when it finds no work left, and then only waits for
// those that are inside. So a job never outlives the stack frame it points to, and nobody waits for a sleeper.
#include "base/parallel.hpp"

#include "base/error.hpp"

#include "base/watch.hpp"

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <sched.h>

namespace brushfire::workers {

namespace {

thread_local bool inside_a_job = false;  // a loop inside a loop runs on its own thread
thread_local int place_of_thread = 0;

class alignas(64) Site {
 public:
  std::unique_lock<std::mutex> try_to_take() { return std::unique_lock(taken_, std::try_to_lock); }

  void open(const Job& job)
  {
    job_ = &job;
    next_thread_.store(1, std::memory_order_relaxed);
    error_ = nullptr;
    gate_.store(gate_open, std::memory_order_release);  // publishes the job to those that enter
  }

  void work(int thread)
  {
    inside_a_job = true;
    try {
      job_->enter(job_->context, thread);
    } catch (...) {
      std::lock_guard const lock(error_guard_);
      if (!error_) error_ = std::current_exception();
    }
    inside_a_job = false;
  }

  void help()
  {
    std::uint32_t gate = gate_.load(std::memory_order_acquire);
    while ((gate & gate_open) != 0) {
      if (!gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel)) continue;
      int const thread = next_thread_.fetch_add(1, std::memory_order_relaxed);
      if (thread < job_->threads) work(thread);
      if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) wake_one(gate_);  // last one out, gate closed
      return;
    }
  }

  void close()
  {
    std::uint32_t gate = gate_.fetch_and(~gate_open, std::memory_order_acq_rel) & ~gate_open;
    for (; gate != 0; gate = gate_.load(std::memory_order_acquire)) wait_while(gate_, gate, true);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  static constexpr std::uint32_t gate_open = 1u << 31;  // the lower bits count the workers inside

  WatchedNumber gate_{0};
  std::atomic<int> next_thread_{0};
  const Job* job_ = nullptr;
  std::mutex taken_;
  std::mutex error_guard_;
  std::exception_ptr error_;
};

class Pool {
 public:
  void run(const Job& job)
  {
    if (inside_a_job) return job.enter(job.context, 0);
    for (int i = 0; i < most_sites; ++i) {
      auto const taken = sites_[i].try_to_take();
      if (!taken.owns_lock()) continue;
      for (int used = sites_used_.load(std::memory_order_relaxed); used <= i;)
        sites_used_.compare_exchange_weak(used, i + 1, std::memory_order_relaxed);
      return run_at(sites_[i], job);
    }
    job.enter(job.context, 0);
  }
  int to_hire(int callers, int threads) const
  {
    return std::max(0, workers_for(callers * (threads - 1), threads) - hired_.load(std::memory_order_relaxed));
  }

 private:
  static constexpr int most_sites = 64;

  void run_at(Site& site, const Job& job)
  {
    int const helpers = job.threads - 1;
    hire(wanted_.fetch_add(helpers, std::memory_order_relaxed) + helpers, job.threads);
    site.open(job);
    announced_.fetch_add(1, std::memory_order_release);
    wake_all(announced_);
    site.work(0);
    wanted_.fetch_sub(helpers, std::memory_order_relaxed);
    site.close();
  }

  // As many as all callers want, but not more threads than processors, unless one caller alone asks for them.
  static int workers_for(int wanted, int threads_of_caller)
  {
    static int const processors = processors_of_machine();
    return std::min(wanted, std::max(threads_of_caller, processors) - 1);
  }

  void hire(int wanted, int threads_of_caller)
  {
    int const workers = workers_for(wanted, threads_of_caller);
    if (hired_.load(std::memory_order_relaxed) >= workers) return;
    std::lock_guard const lock(hiring_);
    try {
      for (; hired_ < workers; ++hired_) std::thread([this, place = hired_ + 1] { work(place); }).detach();
    } catch (const std::system_error&) {
      // The system grants no more threads: those there are do the work.
    }
  }

  void work(int place)
  {
    place_of_thread = place;
    for (std::uint32_t seen = 0;;) {
      wait_while(announced_, seen, true);
      seen = announced_.load(std::memory_order_acquire);
      int const sites = sites_used_.load(std::memory_order_relaxed);
      for (int i = 0; i < sites; ++i) sites_[i].help();
    }
  }

  Site sites_[most_sites];
  std::atomic<int> sites_used_{0};  // those from here on were never taken
  std::mutex hiring_;
  std::atomic<int> hired_{0};
  std::atomic<int> wanted_{0};
  alignas(64) WatchedNumber announced_{0};
};

Pool& pool()
{
  // Never destroyed: its sleeping threads end with the process, and a child of fork() has none to wait for.
  static Pool& pool = *new Pool;
  return pool;
}

}  // namespace

void run(const Job& job) { pool().run(job); }

int to_hire(int callers, int threads) { return pool().to_hire(callers, threads); }

int place() { return place_of_thread; }

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

Team Team::of(int requested)
{
  constexpr int most_threads = 4096;
  if (requested < 0 || requested > most_threads)
    fail(ErrorKind::usage, "threads: {} makes no sense; 0 takes all there are, {} are the most", requested,
         most_threads);
  return {requested > 0 ? requested : processors()};
}

void share_processors(int processes) { processes_together = std::max(1, processes); }

}  // namespace brushfire
