#include "base/error.hpp"
#include "base/parallel.hpp"
#include "exchange/job_ranks.hpp"
#include "exchange/machine_board.hpp"

#include <brushfire/job.hpp>

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>

namespace brushfire {

namespace {

JobRanks* current_ranks = nullptr;       // of the one Job of this process
std::atomic<bool> sees_all_ranks{true};  // on the board; for a signal handler
constexpr auto time_to_speak = std::chrono::milliseconds(500);

}  // namespace

Job::Job(const std::function<void()>& when_seen) : exceptions_(std::uncaught_exceptions())
{
  Launch const launch = launch_from_environment();
  if (launch.ranks == 1) {
    when_seen();
    return;
  }
  sees_all_ranks = false;
  rank_ = launch.rank;
  together_ = connect_ranks(launch, when_seen, problem_);
  if (together_) {
    JobPlace const place = together_->place();
    rank_ = place.rank;
    ranks_ = place.ranks;
    sees_all_ranks = place.ranks_on_machine == place.ranks;
    current_ranks = together_.get();
    share_processors(place.ranks_on_machine);
  } else if (problem_.empty()) {
    rank_ = 0;
    sees_all_ranks = true;
    leave_board();
  } else {
    ranks_ = launch.ranks;
  }
}

Job::~Job()
{
  if (!ended_) end(std::uncaught_exceptions() > exceptions_ ? 1 : 0);
}

void say_last_message(const std::string& message)
{
  brushfire::say_last(message.empty() ? message : fmt::format("brushfire: {}\n", message));
}

int Job::end(int code, const std::string& message)
{
  ended_ = true;
  if (together_) {
    code = together_->end(code, message);
    current_ranks = nullptr;
    together_.reset();
  } else if (code != 0 && (problem_.empty() || rank_ == 0)) {
    say_last_message(message);
  } else if (code != 0) {
    // All have the same to say, and cannot hear each other. A launcher may stop the first when others leave.
    std::this_thread::sleep_for(time_to_speak);
  }
  leave_board();
  return code;
}

bool Job::same_on_all_ranks(const std::string& text) const
{
  if (!together_) return true;
  std::uint64_t differ = together_->from_first_rank(text) == text ? 0 : 1;
  together_->make_wire(1, {})->sum({&differ, 1});
  return differ == 0;
}

void Job::say_last(std::string_view line) noexcept { brushfire::say_last(line); }

void Job::forget_board() noexcept { forget_unwatched_board_name(); }

bool Job::lost_a_rank() noexcept { return lost_from_board(); }

bool Job::one_did_not_come() noexcept { return misses_one_to_come(); }

bool Job::may_have_lost_a_rank() noexcept { return !sees_all_ranks; }

int Job::ranks_of_job() { return job_place().ranks; }

JobPlace job_place() { return current_ranks != nullptr ? current_ranks->place() : JobPlace(); }

std::unique_ptr<Wire> make_wire(int devices_per_rank, const WireOptions& options)
{
  return current_ranks != nullptr ? current_ranks->make_wire(devices_per_rank, options) : nullptr;
}

bool wires_take_device_memory() { return current_ranks != nullptr && current_ranks->wires_take_device_memory(); }

std::string from_first_rank(const std::string& text)
{
  return current_ranks != nullptr ? current_ranks->from_first_rank(text) : text;
}

std::string wanted_transport()
{
  const char* const text = std::getenv("BRUSHFIRE_TRANSPORT");
  std::string const wanted = from_first_rank(text != nullptr && *text != '\0' ? text : "auto");
  for (const char* const known : {"auto", "nccl", "mpi", "ipc", "staged"})
    if (wanted == known) return wanted;
  fail(ErrorKind::usage, "BRUSHFIRE_TRANSPORT={}: must be auto, nccl, mpi, ipc or staged", wanted);
}

}  // namespace brushfire
