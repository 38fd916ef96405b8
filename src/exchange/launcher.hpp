// What the environment says about the launcher that started this process: cheap to ask, and known before MPI is.
#pragma once

namespace brushfire {

struct Launch {
  int rank = 0;
  int ranks = 1;  // 0: a launcher is there, and does not say how many it started
};

Launch launch_from_environment();

}  // namespace brushfire
