// The ranks that a launcher (mpirun, srun) started together. A program makes one Job at the start of main() and ends
// through it; started by hand, it is a job of one rank, and MPI is never touched.
//
// A rank that fails must take the others along, which may be waiting for it, and all of them together say one line.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace brushfire {

class [[gnu::visibility("hidden")]] JobRanks;

class Job {
 public:
  // `when_seen` is called once the other ranks of this machine can see this one, and before MPI connects them: what
  // signal handlers may ask below has its answer from then on.
  explicit Job(const std::function<void()>& when_seen = [] {});
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();  // ends the job where end() was not called: well, or as a failure when an exception is passing

  int rank() const { return rank_; }  // 0 ... ranks()-1
  int ranks() const { return ranks_; }

  // Why the ranks cannot work together, the same on all; empty when they can. What the program does then is to end.
  const std::string& problem() const { return problem_; }

  // Whether all ranks say the same; all of them ask together.
  bool same_on_all_ranks(const std::string& text) const;

  // Ends the part of this rank and returns the exit code of the job: 0 when all ranks bring 0, else that of the first
  // that does not, whose message goes to stderr as a line of "brushfire: ". A rank that brings 0 waits for the others,
  // and one that does not waits a moment: then it writes its message, unless another has, and aborts the job.
  int end(int code, const std::string& message = {});

  // Of the Job there is, or of a process alone.
  static int ranks_of_job();

  // All for a signal handler, and async-signal-safe. Whether a rank of this machine is gone.
  static bool lost_a_rank() noexcept;
  // Whether the launcher has fewer processes than it started, before all ranks could be seen.
  static bool one_did_not_come() noexcept;
  // Whether one may have died that cannot be seen from here: it did not get as far as this, or is on another machine.
  static bool may_have_lost_a_rank() noexcept;
  // Says this line on stderr, unless a rank of this machine has said one. When it returns, one is said: a rank that
  // left sooner could have the launcher kill the one that speaks.
  static void say_last(std::string_view line) noexcept;
  // For a process that ends before the ranks are connected: removes the name of the page by which they find each other,
  // unless somebody is there who does it when no rank can come any more.
  static void forget_board() noexcept;

 private:
  int rank_ = 0;
  int ranks_ = 1;
  bool ended_ = false;
  int exceptions_;  // that were passing when it was made
  std::string problem_;
  std::unique_ptr<JobRanks> together_;  // nothing: this rank is alone, or cannot reach the others
};

// The transport between GPUs that BRUSHFIRE_TRANSPORT of the first rank asks for: "auto", "nccl", "mpi", "ipc" or
// "staged". All ranks ask together. Throws Error(usage) when it is none of these.
std::string wanted_transport();

}  // namespace brushfire
#pragma GCC visibility pop
