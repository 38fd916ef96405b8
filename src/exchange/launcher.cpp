#include "exchange/launcher.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace brushfire {

namespace {

std::optional<int> number_in(const char* variable)
{
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  int number = 0;
  const char* const end = text + std::strlen(text);
  auto const [stop, error] = std::from_chars(text, end, number);
  return error == std::errc() && stop == end && number >= 0 ? std::optional(number) : std::nullopt;
}

struct Variables {
  const char* rank;
  const char* ranks;
};

// Slurm's SLURM_NTASKS and SLURM_PROCID are also set in a batch script itself, where the program is alone; the size of
// a step is set by srun only.
constexpr Variables launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},  // Open MPI
    {"PMI_RANK", "PMI_SIZE"},                          // MPICH, Intel MPI
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},    // MVAPICH2
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
};

}  // namespace

Launch launch_from_environment()
{
  for (auto const& [rank_variable, ranks_variable] : launchers) {
    auto const rank = number_in(rank_variable), ranks = number_in(ranks_variable);
    if (rank && ranks && *rank < *ranks) return {*rank, *ranks};
  }
  if (auto const rank = number_in("PMIX_RANK")) return {*rank, 0};  // any launcher that speaks PMIx
  if (number_in("MPI_LOCALNRANKS").value_or(1) > 1) return {number_in("MPI_LOCALRANKID").value_or(0), 0};
  return {};
}

}  // namespace brushfire
