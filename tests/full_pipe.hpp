// A pipe that takes nothing until it is drained: whoever says something into it is in the middle of that for as long as
// the test wants.
#pragma once

#include "base/process_state.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

namespace brushfire::testing {

class FullPipe {
 public:
  FullPipe()
  {
    EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0);
    std::string const full(static_cast<std::size_t>(fcntl(ends_[1], F_GETPIPE_SZ)), ' ');
    EXPECT_EQ(write(ends_[1], full.data(), full.size()), static_cast<ssize_t>(full.size()));
    filled_ = full.size();
  }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;
  ~FullPipe()
  {
    close(ends_[0]);
    if (ends_[1] >= 0) close(ends_[1]);
  }

  int end_for_writing() const { return ends_[1]; }

  // What others have written, once all of them have closed it.
  std::string drain()
  {
    close(ends_[1]);
    ends_[1] = -1;
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t length; (length = read(ends_[0], part.data(), part.size())) > 0;)
      text.append(part.data(), static_cast<std::size_t>(length));
    return text.substr(filled_);
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  std::size_t filled_ = 0;
};

// Whether the signal is in a set of this process: "SigBlk", "ShdPnd", ..., as proc(5) calls them.
inline bool has_signal(pid_t process, const std::string& set, int signal)
{
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(set + ":"))
      return (std::stoull(line.substr(set.size() + 1), nullptr, 16) >> (signal - 1)) % 2 != 0;
  return false;
}

// It sleeps and holds the signal back.
inline bool waits_with_signal_blocked(pid_t process, int signal)
{
  for (int i = 0; i < 1000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    auto const found = look_at_process(process);
    if (found && found->state == 'S' && has_signal(process, "SigBlk", signal)) return true;
  }
  return false;
}

}  // namespace brushfire::testing
