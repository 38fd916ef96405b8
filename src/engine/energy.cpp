#include "base/clock.hpp"
#include "engine/energy_meter.hpp"
#include "engine/nvml.hpp"
#include "exchange/job_wire.hpp"

#include <brushfire/energy.hpp>

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

}  // namespace

std::vector<RaplCounter> find_rapl_counters(const std::filesystem::path& folder)
{
  std::vector<RaplCounter> counters;
  std::error_code none;
  for (auto const& entry : std::filesystem::directory_iterator(folder, none)) {
    // intel-rapl-mmio counts the same packages another way.
    if (!entry.path().filename().string().starts_with("intel-rapl:")) continue;
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

EnergyMeter::EnergyMeter(const std::filesystem::path& rapl, bool gpus)
    : rapl_(find_rapl_counters(rapl)), nvml_(gpus ? std::make_unique<NvmlCounters>() : nullptr)
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

std::optional<EnergyReport> measure_energy(Search& search, std::span<const Label> roots, Device device,
                                           const SearchLimits& limits, const std::filesystem::path& counters)
{
  double const long_enough = device == Device::cuda ? 1 : 0.3;  // NVML counts about every 0.1 s, RAPL every 0.001
  if (roots.empty() || job_place().ranks > 1) return std::nullopt;
  EnergyMeter meter(counters, device == Device::cuda);
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
  return report;
}

}  // namespace brushfire
