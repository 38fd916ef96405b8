#include "base/parallel.hpp"
#include "exchange/job_ranks.hpp"

#include <brushfire/job.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <exception>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace brushfire {

namespace {

JobRanks* current_ranks = nullptr;  // of the one Job of this process

// A signal handler may come at any time: what it reads here changes by single stores.
std::atomic<bool> may_speak{true};  // where there is no board
MachineBoard board;
std::atomic<bool> board_is_up{false};

// The state of a process as the kernel tells it, or 0: what comes behind the name, which may hold anything, in
// "17 (name) S ...". System calls only.
char state_of(std::int32_t process)
{
  std::array<char, 32> path{"/proc/"};
  auto const number = std::to_chars(path.data() + 6, path.data() + path.size(), process);
  std::memcpy(number.ptr, "/stat", 6);
  int const file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 128> text{};
  ssize_t const length = read(file, text.data(), text.size());
  close(file);
  std::string_view const line(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  auto const name_end = line.rfind(')');
  return name_end != line.npos && name_end + 2 < line.size() ? line[name_end + 2] : '\0';
}

bool is_gone(std::int32_t process)
{
  if (kill(process, 0) != 0 && errno == ESRCH) return true;
  return state_of(process) == 'Z';  // dead, and the launcher has not looked yet
}

}  // namespace

Job::Job() : exceptions_(std::uncaught_exceptions())
{
  Launch const launch = launch_from_environment();
  if (launch.ranks == 1) return;
  may_speak = launch.rank == 0;
  rank_ = launch.rank;
  together_ = connect_ranks(launch, problem_);
  if (together_) {
    rank_ = together_->rank();
    ranks_ = together_->ranks();
    board = together_->board();
    board_is_up = board.last_word_taken != nullptr;
    current_ranks = together_.get();
    share_processors(job_place().ranks_on_machine);
  } else if (problem_.empty()) {
    rank_ = 0;
    may_speak = true;
  } else {
    ranks_ = launch.ranks;
  }
}

Job::~Job()
{
  if (!ended_) end(std::uncaught_exceptions() > exceptions_ ? 1 : 0);
}

void write_message(const std::string& message)
{
  if (message.empty()) return;
  std::string const line = fmt::format("brushfire: {}\n", message);
  [[maybe_unused]] ssize_t const ignored = write(STDERR_FILENO, line.data(), line.size());  // nobody may be listening
}

int Job::end(int code, const std::string& message)
{
  ended_ = true;
  if (together_) {
    code = together_->end(code, message);
    may_speak = false;  // all is said
    board_is_up = false;
    current_ranks = nullptr;
    together_.reset();
  } else if (may_speak) {
    write_message(message);
  }
  return code;
}

bool Job::same_on_all_ranks(const std::string& text) const
{
  if (!together_) return true;
  std::uint64_t differ = together_->from_first_rank(text) == text ? 0 : 1;
  together_->make_wire(1, {})->sum({&differ, 1});
  return differ == 0;
}

bool Job::claim_last_word() noexcept { return board_is_up ? !board.last_word_taken->exchange(true) : may_speak.load(); }

bool Job::lost_a_rank() noexcept
{
  if (!board_is_up) return false;
  for (std::int32_t const process : board.processes)
    if (is_gone(process)) return true;
  return false;
}

int Job::ranks_of_job() { return job_place().ranks; }

JobPlace job_place()
{
  if (current_ranks == nullptr) return {};
  MachineBoard const machine = current_ranks->board();
  return {current_ranks->rank(), current_ranks->ranks(), std::max(1, static_cast<int>(machine.processes.size())),
          machine.place};
}

std::unique_ptr<Wire> make_wire(int devices_per_rank, const WireOptions& options)
{
  return current_ranks != nullptr ? current_ranks->make_wire(devices_per_rank, options) : nullptr;
}

bool wires_take_device_memory() { return current_ranks != nullptr && current_ranks->wires_take_device_memory(); }

std::string from_first_rank(const std::string& text)
{
  return current_ranks != nullptr ? current_ranks->from_first_rank(text) : text;
}

}  // namespace brushfire
