#include "base/clock.hpp"
#include "engine/energy_meter.hpp"
#include "engine/nvml.hpp"
#include "exchange/job_wire.hpp"

#include <brushfire/energy.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <optional>

namespace brushfire {

namespace {

std::optional<std::uint64_t> number_in(const std::filesystem::path& file)
{
  std::ifstream stream(file);
  std::uint64_t number = 0;
  return stream >> number ? std::optional(number) : std::nullopt;
}

std::string word_in(const std::filesystem::path& file)
{
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

// intel-rapl-mmio counts the same packages another way.
bool is_rapl_domain(const std::filesystem::path& folder)
{
  return folder.filename().string().starts_with("intel-rapl:");
}

// Those that search a graph of so many devices: one after the other, and round again.
std::vector<device::GpuName> gpus_that_search(int devices)
{
  std::vector<device::GpuName> names;
  auto const& gpus = device::list_gpus().gpus;
  for (std::size_t i = 0; i < gpus.size() && names.size() < static_cast<std::size_t>(devices); ++i)
    if (gpus[i].usable()) names.push_back(device::name_of_gpu(static_cast<int>(i)));
  return names;
}

std::string why_no_rapl(const std::filesystem::path& folder)
{
  std::error_code none;
  for (auto const& entry : std::filesystem::directory_iterator(folder, none)) {
    auto const energy = entry.path() / "energy_uj";
    if (is_rapl_domain(entry.path()) && std::filesystem::exists(energy, none) && !number_in(energy))
      return fmt::format("{} cannot be read; most systems let only root", energy.string());
  }
  return fmt::format("{} has no intel-rapl that counts: a virtual machine or a container, or the driver is not loaded",
                     folder.string());
}

}  // namespace

std::vector<RaplCounter> find_rapl_counters(const std::filesystem::path& folder)
{
  std::vector<RaplCounter> counters;
  std::error_code none;
  for (auto const& entry : std::filesystem::directory_iterator(folder, none)) {
    if (!is_rapl_domain(entry.path())) continue;
    RaplCounter counter{entry.path(), word_in(entry.path() / "name"), 0, 0};
    if (!counter.name.starts_with("package") && counter.name != "dram") continue;
    auto const energy = number_in(entry.path() / "energy_uj");  // for root alone on most systems
    auto const range = number_in(entry.path() / "max_energy_range_uj");
    if (!energy || !range) continue;
    counter.last = *energy;
    counter.range = *range;
    counters.push_back(counter);
  }
  std::sort(counters.begin(), counters.end(), [](auto const& a, auto const& b) { return a.folder < b.folder; });
  return counters;
}

EnergyMeter::EnergyMeter(const std::filesystem::path& rapl, std::span<const device::GpuName> gpus)
    : rapl_(find_rapl_counters(rapl)), nvml_(gpus.empty() ? nullptr : std::make_unique<NvmlCounters>(gpus))
{
  for (const RaplCounter& counter : rapl_) names_.push_back(counter.name);
  if (!nvml_) return;
  auto const on_gpus = nvml_->names();
  names_.insert(names_.end(), on_gpus.begin(), on_gpus.end());
  if (on_gpus.empty()) names_.clear();  // without what the GPUs take, the rest would say little about a search on them
}

EnergyMeter::~EnergyMeter() = default;

double EnergyMeter::joules()
{
  double joules = nvml_ ? nvml_->joules() : 0;
  for (RaplCounter& counter : rapl_) {
    auto const now = number_in(counter.folder / "energy_uj");
    if (!now) continue;
    std::uint64_t const taken = *now >= counter.last ? *now - counter.last : counter.range - counter.last + *now;
    joules += static_cast<double>(taken) / 1e6;
    counter.last = *now;
  }
  return joules;
}

std::optional<EnergyReport> measure_energy(const Graph& graph, Search& search, std::span<const Label> roots,
                                           Device device, const SearchLimits& limits,
                                           const std::filesystem::path& counters)
{
  if (roots.empty() || job_place().ranks > 1) return std::nullopt;
  bool const on_gpus = choose_device(device) == Device::cuda;
  double const long_enough = on_gpus ? 1 : 0.3;  // NVML counts about every 0.1 s, RAPL every 0.001
  EnergyMeter meter(counters, on_gpus ? gpus_that_search(graph.facts().devices) : std::vector<device::GpuName>());
  if (meter.counters().empty()) return std::nullopt;
  EnergyReport report;
  report.counters = meter.counters();
  Stopwatch const watch;
  meter.joules();
  do {
    report.edges += search.run(roots[report.searches % roots.size()], limits).nedge;
    ++report.searches;
    report.joules += meter.joules();
    report.seconds = watch.seconds();
  } while (report.seconds < long_enough);
  // A counter of RAPL may come around in a minute: more than once in a long search, and nobody would know.
  constexpr double too_long = 30;
  if (report.seconds / static_cast<double>(report.searches) > too_long) return std::nullopt;
  if (report.joules <= 0) return std::nullopt;  // a virtual machine may show counters that stand still
  return report;
}

std::vector<DeviceFacts> list_energy_counters(const std::filesystem::path& folder)
{
  auto const facts = [](const char* kind, const std::vector<std::string>& names, const std::string& why_none) {
    return DeviceFacts{kind, "", !names.empty(), names.empty() ? why_none : fmt::format("{}", fmt::join(names, ", "))};
  };
  std::vector<DeviceFacts> counters{facts("rapl", EnergyMeter(folder, {}).counters(), why_no_rapl(folder))};
  auto const gpus = gpus_that_search(static_cast<int>(device::list_gpus().gpus.size()));
  if (!gpus.empty())
    counters.push_back(
        facts("nvml", NvmlCounters(gpus).names(), "libnvidia-ml.so.1 does not count for every GPU here"));
  return counters;
}

}  // namespace brushfire
