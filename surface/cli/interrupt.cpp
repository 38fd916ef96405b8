// SIGINT, SIGTERM, SIGHUP: remove unfinished outputs, say one line, leave with 128 + signal. The handler
// calls only what is async-signal-safe, and _exit() because destructors would wait for worker threads.
// Among the ranks of a job one says the line. Launchers stop a job by SIGTERM, whether the user pressed Ctrl-C or a
// rank died: the difference is that then one is gone. Where not all can be seen, what is said holds for both.
// SIGXFSZ is ignored: a file-size limit is then a write that fails, with a message and a clean-up like any other.
#include "interrupt.hpp"

#include <brushfire/job.hpp>
#include <brushfire/output.hpp>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include <sys/syscall.h>
#include <unistd.h>

namespace brushfire::cli {

namespace {

bool stderr_is_terminal = false;  // asked beforehand: isatty() is not async-signal-safe

// Held back with what the program's parent held back already. The linker calls it when it has loaded the libraries and
// before it starts them, which takes two of the first three milliseconds. Plain system calls: a sanitizer has not
// started either.
std::uint64_t held_back_before = 0;

constexpr std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }

[[gnu::no_sanitize("address", "thread", "undefined")]] void hold_interrupts(int, char**, char**)
{
  std::uint64_t const ours = bit_of(SIGINT) | bit_of(SIGTERM) | bit_of(SIGHUP) | bit_of(SIGCONT);
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &ours, &held_back_before, sizeof ours);
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const first_of_all)(int, char**, char**) = hold_interrupts;

volatile std::sig_atomic_t may_leave = 0;  // when a rank is lost, before we are told to

void clean_up(int signal)
{
  remove_unfinished_outputs();
  const char* line = "\nbrushfire: interrupted\n";
  if (Job::lost_a_rank())  // asked first: once the last word is taken, the others leave
    line = "\nbrushfire: a rank of this job has died; the job ends\n";
  else if (signal == SIGTERM && Job::may_have_lost_a_rank())
    line = "\nbrushfire: the launcher stopped the job; a rank may have died at its start or on another machine\n";
  Job::say_last(stderr_is_terminal ? line : line + 1);  // below a progress bar
}

void stop(int signal)
{
  clean_up(signal);
  Job::forget_board();  // not sooner: a rank that starts late would not know that the line is said
  _exit(128 + signal);
}

// Open MPI 4.1 continues a job that lost a rank, waits a second, and leaves a millisecond between SIGTERM and SIGKILL,
// which is often too short to clean up in: this is the time for it. While it connects the ranks they stay until the
// SIGTERM, because it ends by a SIGPIPE when they leave as it talks to them.
void look_for_lost_rank(int)
{
  int const error = errno;
  if (Job::lost_a_rank() || Job::one_did_not_come()) {
    clean_up(SIGTERM);
    if (may_leave != 0) _exit(128 + SIGTERM);
  }
  errno = error;
}

}  // namespace

void clean_up_when_interrupted()
{
  stderr_is_terminal = isatty(STDERR_FILENO) == 1;
  struct sigaction action {};
  action.sa_handler = stop;
  sigfillset(&action.sa_mask);
  // Also where a shell started us with SIGINT ignored (in the background of a script): whoever sends it means us.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup means what it says
  action.sa_handler = look_for_lost_rank;
  action.sa_flags = SA_RESTART;
  sigaction(SIGCONT, &action, nullptr);
  signal(SIGXFSZ, SIG_IGN);
}

void let_interrupts_through()
{
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &held_back_before, nullptr, sizeof held_back_before);
}

void leave_when_a_rank_dies() { may_leave = 1; }

}  // namespace brushfire::cli
