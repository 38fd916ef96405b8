// What the system says about a process. System calls only: signal handlers may ask.
#pragma once

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace brushfire {

struct ProcessState {
  char state = '?';  // as proc(5) has it
  pid_t parent = 0;
  std::uint64_t started = 0;  // ticks since the machine started

  bool has_ended() const { return state == 'Z' || state == 'X'; }  // and its parent has not looked yet
};

std::optional<ProcessState> look_at_process(pid_t process) noexcept;  // nothing where it cannot be seen

// How many processes the first thread of `parent` has started that are still there, `child` being one of them. Nothing
// where it is not, or where that cannot be seen.
std::optional<int> count_children_with(pid_t child, pid_t parent) noexcept;

}  // namespace brushfire
