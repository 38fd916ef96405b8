// What searches take from the mains, where the machine counts it: processors and memory by RAPL, GPUs by NVML.
#pragma once

#include <brushfire/graph.hpp>
#include <brushfire/machine.hpp>
#include <brushfire/report.hpp>
#include <brushfire/search.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

inline constexpr const char* rapl_folder = "/sys/class/powercap";

// Counters are slow beside a search, so the searches from these roots are repeated, unvalidated, for a second on GPUs,
// 0.3 s on CPUs. Nothing where no counter of the devices that search can be read or counts, and over several ranks.
std::optional<EnergyReport> measure_energy(const Graph& graph, Search& search, std::span<const Label> roots,
                                           Device device, const SearchLimits& limits = {},
                                           const std::filesystem::path& counters = rapl_folder);

// What counts energy here: kinds are "rapl" and, where there is a usable GPU, "nvml".
std::vector<DeviceFacts> list_energy_counters(const std::filesystem::path& folder = rapl_folder);

}  // namespace brushfire
#pragma GCC visibility pop
