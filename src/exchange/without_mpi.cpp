// Stands in for src/exchange/mpi in a build without MPI: several ranks cannot be connected, and the job says so.
#include "exchange/job_ranks.hpp"
#include "exchange/machine_board.hpp"

#include <fmt/format.h>

namespace brushfire {

bool built_with_mpi() { return false; }

std::unique_ptr<JobRanks> connect_ranks(const Launch& launch, const std::function<void()>& when_seen,
                                        std::string& problem)
{
  join_board(board_of_launcher(find_launcher()));
  when_seen();
  if (launch.ranks > 1)  // not known: then one process alone is the better guess
    problem = fmt::format(
        "started as {} ranks, and this program was built without MPI; build it with BRUSHFIRE_WITH_MPI=ON, or "
        "start it once",
        launch.ranks);
  return nullptr;
}

}  // namespace brushfire
