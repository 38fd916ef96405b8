#include "exchange/mpi/launcher_watch.hpp"

#include "base/process_state.hpp"
#include "exchange/machine_board.hpp"

#include <fmt/format.h>

#include <array>
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
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace brushfire {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// mpirun ends the other ranks within 2 s and itself within some 10 ms; the job must be over within 10 s.
constexpr auto patience = seconds(4);
constexpr auto between_looks = milliseconds(5);  // nothing should be seen long after the launcher
constexpr int looks_for_a_count = 50;            // which takes reading all of /proc
constexpr auto longest_watch = seconds(60);      // of a launcher that goes on with the others, because it was told to
constexpr std::size_t longest_line = 16384;      // longer ones are cut
constexpr std::string_view rank_has_died = "brushfire: a rank of this job has died; the job ends\n";

struct WatchedLauncher {
  pid_t process;
  std::uint64_t started;  // when: numbers of processes come back

  bool is_there() const
  {
    auto const found = look_at_process(process);
    return found && found->started == started && !found->has_ended();
  }
};

// How many ranks it started, all of them here; 0 where the launcher is something else.
int ranks_of_mpirun(pid_t launcher)
{
  const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (here == nullptr || all == nullptr || std::string_view(here) != all) return 0;
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", launcher)), name);
  bool const is_mpirun = name.starts_with("mpirun") || name.starts_with("mpiexec") || name.starts_with("orterun");
  return is_mpirun ? std::atoi(all) : 0;
}

bool has_living_child(const WatchedLauncher& launcher)
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

void stop(const WatchedLauncher& launcher)
{
  // Open MPI takes a second SIGTERM within 5 s for "it hangs", and leaves at once.
  for (auto const& [signal, then_wait] : {std::pair(SIGTERM, milliseconds(200)), std::pair(SIGTERM, milliseconds(1000)),
                                          std::pair(SIGKILL, milliseconds(100))}) {
    if (!launcher.is_there()) return;
    kill(launcher.process, signal);
    std::this_thread::sleep_for(then_wait);
  }
}

// The line that says why the job ends, where it is this process that says it. It goes to the launcher by the pipe from
// which it reads what the rank writes. The launcher may end without having read it: then it goes to where the launcher
// would have written it, and not sooner, because what the launcher writes to a file would go over it.
class LastLine {
 public:
  explicit LastLine(const WatchedLauncher& launcher)
      : stderr_of_launcher_(open(fmt::format("/proc/{}/fd/{}", launcher.process, STDERR_FILENO).c_str(),
                                 O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC))
  {
  }

  void say(std::string_view line)
  {
    if (!claim_last_word()) return;
    line_ = line;
    in_pipe_ = write(STDERR_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    last_word_is_said();
  }

  bool is_heard() const { return line_.empty() || (in_pipe_ && nothing_unread()); }

  void say_without_launcher() const
  {
    [[maybe_unused]] ssize_t const ignored = write(stderr_of_launcher_, line_.data(), line_.size());
  }

 private:
  // In what may be a pipe, also when its reader is gone.
  static bool nothing_unread()
  {
    struct stat status {};
    int unread = 0;
    return fstat(STDERR_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode) ||
           ioctl(STDERR_FILENO, FIONREAD, &unread) != 0 || unread == 0;
  }

  int stderr_of_launcher_;
  std::string line_;
  bool in_pipe_ = false;
};

// Until the launcher is gone, or has what it needs: its end of the rank's stderr, and no rank that it waits for in
// vain.
void see_out(const WatchedLauncher& launcher, const LastLine& line)
{
  auto const start = Clock::now();
  auto had_child = start;
  bool heard = false;
  for (int look = 0; launcher.is_there() && Clock::now() - start < longest_watch; ++look) {
    if (!heard && line.is_heard()) {
      heard = true;
      close(STDERR_FILENO);  // the launcher reads it to its end
    }
    bool const connecting = !board_is_closed();
    if (heard && !connecting) return;
    if (connecting && look % looks_for_a_count == 0 && has_living_child(launcher)) had_child = Clock::now();
    if (connecting && Clock::now() - had_child > patience) {
      stop(launcher);
      break;
    }
    std::this_thread::sleep_for(between_looks);
  }
  if (!heard && !line.is_heard() && !launcher.is_there()) line.say_without_launcher();
}

[[noreturn]] void watch(const WatchedLauncher& launcher, int rank) noexcept
{
  setsid();  // the launcher kills all that is in the group of a rank
  prctl(PR_SET_NAME, "brushfire-watch");
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  LastLine line(launcher);
  std::array<char, longest_line> text;
  for (ssize_t length; (length = recv(rank, text.data(), text.size(), 0)) > 0 || (length < 0 && errno == EINTR);)
    if (length > 0) line.say({text.data(), static_cast<std::size_t>(length)});
  line.say(rank_has_died);
  see_out(launcher, line);
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
  Launcher const launcher = find_launcher();
  join_board(board_of_launcher(launcher));
  start(launcher);
  // A rank whose launcher is gone is a child of the first process, which others have too, and which outlives them all.
  if (launcher.process == 1 && !is_called_like_a_launcher(1)) forget_board_name();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LauncherWatch::start(const Launcher& launcher)
{
  auto const found = look_at_process(launcher.process);
  int const ranks = ranks_of_mpirun(launcher.process);
  if (!found || ranks == 0) return;
  expect_on_board(ranks, launcher);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  watcher_ = fork();
  if (watcher_ == 0) {
    close(ends[1]);
    watch({launcher.process, found->started}, ends[0]);
  }
  close(ends[0]);
  to_watcher_ = ends[1];
  speak_through(to_watcher_);
  leave_name_to_watch(watcher_ > 0);
}

LauncherWatch::~LauncherWatch()
{
  leave_name_to_watch(false);
  speak_through(-1);
  if (watcher_ > 0) {
    kill(watcher_, SIGKILL);
    waitpid(watcher_, nullptr, 0);
  }
  if (to_watcher_ >= 0) close(to_watcher_);
}

}  // namespace brushfire
