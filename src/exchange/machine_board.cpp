#include "exchange/machine_board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace brushfire {

namespace {

// What a new file holds, zeros, is an empty board.
struct Board {
  std::atomic<bool> last_word_taken;
  std::atomic<std::uint32_t> joined;
  std::array<std::atomic<std::int32_t>, 1022> processes;  // 0: left, or not yet there; more ranks are not watched
};
static_assert(sizeof(Board) <= 4096 && std::atomic<std::int32_t>::is_always_lock_free);

// A signal handler may come at any time: what it reads changes by single stores, and no board is ever unmapped.
std::atomic<Board*> board{nullptr};
std::atomic<std::uint32_t> place{0};
std::array<char, 128> name_of_file{};
std::atomic<bool> has_name{false};

using StatText = std::array<char, 512>;

// What comes behind the name, which may hold anything, in "17 (name) S 16 ...". System calls only.
std::string_view read_stat(std::int32_t process, StatText& text)
{
  std::array<char, 32> path{"/proc/"};
  auto const number = std::to_chars(path.data() + 6, path.data() + path.size(), process);
  std::memcpy(number.ptr, "/stat", 6);
  int const file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  ssize_t const length = read(file, text.data(), text.size());
  close(file);
  std::string_view const line(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  auto const name_end = line.rfind(')');
  return name_end != line.npos && name_end + 2 < line.size() ? line.substr(name_end + 2) : std::string_view();
}

bool is_gone(std::int32_t process)
{
  if (kill(process, 0) != 0 && errno == ESRCH) return true;
  StatText text;
  return read_stat(process, text).starts_with('Z');  // dead, and the launcher has not looked yet
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

}  // namespace

// Numbers of processes come back; when the launcher was started tells it from one that had its number.
std::string board_of_launcher()
{
  StatText text;
  std::string_view rest = read_stat(getppid(), text);
  constexpr int fields_before_start = 19;  // proc(5): starttime is the 22nd, the state the third
  for (int field = 0; field < fields_before_start; ++field)
    rest.remove_prefix(std::min(rest.size(), rest.find(' ') + 1));
  return fmt::format("{}-{}", getppid(), rest.substr(0, rest.find(' ')));
}

void join_board(const std::string& name)
{
  leave_board();
  std::string const path = fmt::format("/dev/shm/brushfire-{}-{}", getuid(), name);
  Board* const found = path.size() < name_of_file.size() ? map_board(path) : nullptr;
  if (found == nullptr) return;
  std::copy_n(path.c_str(), path.size() + 1, name_of_file.begin());
  has_name = true;
  place = found->joined++;
  if (place < found->processes.size()) found->processes[place] = static_cast<std::int32_t>(getpid());
  board = found;
}

int ranks_on_board()
{
  Board* const current = board;
  return current != nullptr ? static_cast<int>(current->joined) : 1;
}

void forget_board_name() noexcept
{
  if (has_name.exchange(false)) unlink(name_of_file.data());
}

void leave_board() noexcept
{
  forget_board_name();
  Board* const current = board;
  if (current != nullptr && place < current->processes.size()) current->processes[place] = 0;
}

bool lost_from_board() noexcept
{
  Board* const current = board;
  return current != nullptr && std::any_of(current->processes.begin(), current->processes.end(),
                                           [](auto const& process) { return process != 0 && is_gone(process); });
}

bool claim_last_word() noexcept
{
  Board* const current = board;
  return current == nullptr || !current->last_word_taken.exchange(true);
}

}  // namespace brushfire
