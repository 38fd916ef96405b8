// What the environment says about the launcher that started this process: cheap to ask, and known before MPI is.
#pragma once

#include <sys/types.h>

namespace brushfire {

struct Launch {
  int rank = 0;
  int ranks = 1;  // 0: a launcher is there, and does not say how many it started
};

Launch launch_from_environment();

// Between the launcher and this process there may be others, as a shell or a `timeout`, that are of the same rank.
struct Launcher {
  pid_t process;
  pid_t started;  // what it started: this process, or the outermost of the others
};

Launcher find_launcher();
bool is_called_like_a_launcher(pid_t process);

}  // namespace brushfire
