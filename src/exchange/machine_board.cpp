#include "exchange/machine_board.hpp"

#include "base/process_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace brushfire {

namespace {

// What a new file holds, zeros, is an empty board.
struct Board {
  std::atomic<bool> last_word_taken;
  std::atomic<bool> last_word_said;
  std::atomic<bool> closed;
  std::atomic<std::uint32_t> joined;
  std::array<std::atomic<std::int32_t>, 1022> processes;  // 0: left, or not yet there; more ranks are not watched
};
static_assert(sizeof(Board) <= 4096 && std::atomic<std::int32_t>::is_always_lock_free);

Board alone;  // of a process that has joined no other

// A signal handler may come at any time: what it reads changes by single stores, and no board is ever unmapped.
std::atomic<Board*> board{&alone};
std::atomic<std::uint32_t> place{0};
std::atomic<int> to_come{0};
std::atomic<pid_t> launcher_process{0}, started_by_launcher{0};
std::array<char, 128> name_of_file{};
std::atomic<bool> has_name{false};
std::atomic<bool> name_is_watched{false};
std::atomic<int> speaker{-1};

constexpr int longest_wait_for_word = 1000;  // milliseconds; whoever has claimed it may have been killed

bool is_gone(std::int32_t process)
{
  if (kill(process, 0) != 0 && errno == ESRCH) return true;
  auto const found = look_at_process(process);
  return found && found->has_ended();
}

Board* map_board(const std::string& path)
{
  int const file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  bool const shared = file >= 0 && ftruncate(file, sizeof(Board)) == 0;
  void* start = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
                     shared ? file : -1, 0);
  if (file >= 0) close(file);
  return start != MAP_FAILED ? static_cast<Board*>(start) : nullptr;
}

bool wait_until_said() noexcept
{
  const Board& current = *board;
  for (int waited = 0; waited < longest_wait_for_word; ++waited) {
    if (current.last_word_said) return true;
    poll(nullptr, 0, 1);
  }
  return false;
}

bool speaker_hears(std::string_view line) noexcept
{
  int const socket = speaker;
  return socket >= 0 && !line.empty() && send(socket, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

// False if the word is taken. A handler that ran in between would wait for a word that only its own thread can say.
bool claim_and_write(std::string_view line) noexcept
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool const claimed = claim_last_word();
  if (claimed) {
    [[maybe_unused]] ssize_t const ignored = write(STDERR_FILENO, line.data(), line.size());  // nobody may be listening
    last_word_is_said();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return claimed;
}

}  // namespace

// Numbers of processes come back; when the launcher was started tells it from one that had its number.
std::string board_of_launcher(const Launcher& launcher)
{
  auto const found = look_at_process(launcher.process);
  return fmt::format("{}-{}", launcher.process, found ? found->started : 0);
}

void join_board(const std::string& name)
{
  leave_board();
  std::string const path = fmt::format("/dev/shm/brushfire-{}-{}", getuid(), name);
  Board* const found = path.size() < name_of_file.size() ? map_board(path) : nullptr;
  if (found == nullptr) return;
  std::copy_n(path.c_str(), path.size() + 1, name_of_file.begin());
  name_is_watched = false;
  has_name = true;
  place = found->joined++;
  if (place < found->processes.size()) found->processes[place] = static_cast<std::int32_t>(getpid());
  board = found;
}

int ranks_on_board() { return std::max(1, static_cast<int>(board.load()->joined)); }

void expect_on_board(int ranks, const Launcher& launcher)
{
  launcher_process = launcher.process;
  started_by_launcher = launcher.started;
  to_come = ranks;
}

bool misses_one_to_come() noexcept
{
  int const all = to_come;
  return ranks_on_board() < all && count_children_with(started_by_launcher, launcher_process).value_or(all) < all;
}

void leave_name_to_watch(bool there) noexcept { name_is_watched = there; }

void close_board() noexcept
{
  board.load()->closed = true;
  forget_board_name();
}

bool board_is_closed() noexcept { return board.load()->closed; }

void forget_board_name() noexcept
{
  if (has_name.exchange(false)) unlink(name_of_file.data());
}

void forget_unwatched_board_name() noexcept
{
  if (!name_is_watched) forget_board_name();
}

void leave_board() noexcept
{
  forget_board_name();
  Board& current = *board;
  if (place < current.processes.size()) current.processes[place] = 0;
}

bool lost_from_board() noexcept
{
  auto const& processes = board.load()->processes;
  return std::any_of(processes.begin(), processes.end(),
                     [](auto const& process) { return process != 0 && is_gone(process); });
}

bool claim_last_word() noexcept { return !board.load()->last_word_taken.exchange(true); }

void last_word_is_said() noexcept { board.load()->last_word_said = true; }

void speak_through(int socket) noexcept { speaker = socket; }

void say_last(std::string_view line) noexcept
{
  bool const heard = speaker_hears(line);
  if (heard && wait_until_said()) return;
  if (!claim_and_write(line) && !heard) wait_until_said();
}

}  // namespace brushfire
