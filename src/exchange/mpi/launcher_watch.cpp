#include "exchange/mpi/launcher_watch.hpp"

#include "base/process_state.hpp"
#include "exchange/machine_board.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace brushfire {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// mpirun ends the other ranks within 2 s and itself within some 10 ms; the job must be over within 10 s.
constexpr auto patience = seconds(4);
constexpr auto between_looks = milliseconds(25);  // the name of the board should not be seen long after the launcher
constexpr int looks_for_a_count = 10;             // which takes reading all of /proc
constexpr auto longest_watch = seconds(60);       // of a launcher that goes on with the others, because it was told to

struct Launcher {
  pid_t process;
  std::uint64_t started;  // numbers of processes come back

  bool is_there() const
  {
    auto const found = look_at_process(process);
    return found && found->started == started && !found->has_ended();
  }
};

// How many ranks it started, all of them here; 0 where the parent is something else.
int ranks_of_mpirun(pid_t parent)
{
  const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (here == nullptr || all == nullptr || std::string_view(here) != all) return 0;
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", parent)), name);
  bool const is_mpirun = name.starts_with("mpirun") || name.starts_with("mpiexec") || name.starts_with("orterun");
  return is_mpirun ? std::atoi(all) : 0;
}

bool has_living_child(const Launcher& launcher)
{
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    std::string const name = entry->path().filename().string();
    pid_t process = 0;
    std::from_chars(name.data(), name.data() + name.size(), process);
    auto const found = process > 0 ? look_at_process(process) : std::nullopt;
    // A watch is a session of its own; where mpirun is the first process of a container it inherits those.
    bool const is_watch = found && getsid(process) == process;
    if (found && found->parent == launcher.process && !found->has_ended() && !is_watch) return true;
  }
  return static_cast<bool>(error);  // not known: then it may have one
}

void stop(const Launcher& launcher)
{
  // Open MPI takes a second SIGTERM within 5 s for "it hangs", and leaves at once.
  for (auto const& [signal, then_wait] : {std::pair(SIGTERM, milliseconds(200)), std::pair(SIGTERM, milliseconds(1000)),
                                          std::pair(SIGKILL, milliseconds(0))}) {
    if (!launcher.is_there()) return;
    kill(launcher.process, signal);
    std::this_thread::sleep_for(then_wait);
  }
}

void see_out(const Launcher& launcher)
{
  auto const start = Clock::now();
  auto had_child = start;
  for (int look = 0; launcher.is_there() && Clock::now() - start < longest_watch; ++look) {
    if (look % looks_for_a_count == 0 && has_living_child(launcher)) had_child = Clock::now();
    if (Clock::now() - had_child > patience) return stop(launcher);
    std::this_thread::sleep_for(between_looks);
  }
}

[[noreturn]] void watch(const Launcher& launcher, int closes_with_rank) noexcept
{
  setsid();  // the launcher kills all that is in the group of a rank
  for (int const standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    close(standard);  // it reads them to their end
  char nothing = 0;
  while (read(closes_with_rank, &nothing, 1) < 0 && errno == EINTR) continue;
  see_out(launcher);
  forget_board_name();  // by now no rank comes any more, and the last ones may have had no time for it
  _exit(0);
}

}  // namespace

LauncherWatch::LauncherWatch()
{
  // No handler of this process may run in the other, nor between joining the board and having somebody who removes its
  // name: a rank that ended there would take the name along, and one that comes later would speak again.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  join_board(board_of_launcher());
  start();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LauncherWatch::start()
{
  pid_t const parent = getppid();
  auto const found = look_at_process(parent);
  int const ranks = ranks_of_mpirun(parent);
  if (!found || ranks == 0) return;
  expect_on_board(ranks);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  watcher_ = fork();
  if (watcher_ == 0) {
    close(ends[1]);
    watch({parent, found->started}, ends[0]);
  }
  close(ends[0]);
  closes_with_me_ = ends[1];
  leave_name_to_watch(watcher_ > 0);
}

LauncherWatch::~LauncherWatch()
{
  leave_name_to_watch(false);
  if (watcher_ > 0) {
    kill(watcher_, SIGKILL);
    waitpid(watcher_, nullptr, 0);
  }
  if (closes_with_me_ >= 0) close(closes_with_me_);
}

}  // namespace brushfire
