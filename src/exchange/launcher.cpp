#include "exchange/launcher.hpp"

#include "base/process_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

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
constexpr const char* rank_of_pmix = "PMIX_RANK";  // any launcher that speaks PMIx
constexpr const char* rank_on_machine_of_hydra = "MPI_LOCALRANKID";

std::string read_of_process(pid_t process, std::string_view file)
{
  std::ifstream stream(fmt::format("/proc/{}/{}", process, file), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The variable by which this process knows its rank, as it stands in an environment; empty if there is none.
std::string told_rank()
{
  auto const told = [](const char* variable) { return fmt::format("{}={}", variable, std::getenv(variable)); };
  for (auto const& [rank, ranks] : launchers)
    if (number_in(rank) && number_in(ranks)) return told(rank);
  for (const char* const rank : {rank_of_pmix, rank_on_machine_of_hydra})
    if (number_in(rank)) return told(rank);
  return {};
}

// A launcher may itself have been started as a rank of another.
bool was_told(pid_t process, const std::string& rank)
{
  std::string const environment = '\0' + read_of_process(process, "environ");
  return environment.find('\0' + rank + '\0') != environment.npos;
}

}  // namespace

bool is_called_like_a_launcher(pid_t process)
{
  constexpr std::array beginnings{"mpirun", "mpiexec", "orte", "prte", "hydra", "srun", "slurmstepd"};
  std::string const name = read_of_process(process, "comm");
  return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* word) { return name.starts_with(word); });
}

Launcher find_launcher()
{
  Launcher found{getppid(), getpid()};
  std::string const rank = told_rank();
  while (!rank.empty() && !is_called_like_a_launcher(found.process) && was_told(found.process, rank)) {
    auto const state = look_at_process(found.process);
    if (!state || state->parent == 0) break;
    found = {state->parent, found.process};
  }
  return found;
}

Launch launch_from_environment()
{
  for (auto const& [rank_variable, ranks_variable] : launchers) {
    auto const rank = number_in(rank_variable), ranks = number_in(ranks_variable);
    if (rank && ranks && *rank < *ranks) return {*rank, *ranks};
  }
  if (auto const rank = number_in(rank_of_pmix)) return {*rank, 0};
  if (number_in("MPI_LOCALNRANKS").value_or(1) > 1) return {number_in(rank_on_machine_of_hydra).value_or(0), 0};
  return {};
}

}  // namespace brushfire
