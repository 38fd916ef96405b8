// The counters of energy that this machine has. They only ever rise, but those of RAPL start again at their range: a
// meter adds up differences, and must be asked more often than one comes around (a minute at full power).
#pragma once

#include "device/gpus.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace brushfire {

// A package of processors or a bank of memory, in microjoules.
struct RaplCounter {
  std::filesystem::path folder;
  std::string name;         // "package-0", "dram"
  std::uint64_t range = 0;  // after this much it starts again
  std::uint64_t last = 0;
};

// The domains below `folder` that can be read, none of which is part of another: packages, and memory, which no package
// counts. Cores and graphics are parts of packages, the whole platform would hold them all.
std::vector<RaplCounter> find_rapl_counters(const std::filesystem::path& folder);

class NvmlCounters;

class EnergyMeter {
 public:
  EnergyMeter(const std::filesystem::path& rapl, std::span<const device::GpuName> gpus);
  ~EnergyMeter();

  const std::vector<std::string>& counters() const { return names_; }  // empty: nothing can be measured
  double joules();                                                     // since the last call, or since it was made

 private:
  std::vector<RaplCounter> rapl_;
  std::unique_ptr<NvmlCounters> nvml_;  // nothing: no GPU is asked for
  std::vector<std::string> names_;
};

}  // namespace brushfire
