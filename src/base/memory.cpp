#include "base/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include <sys/resource.h>

namespace brushfire {

namespace {

std::optional<std::uint64_t> number_in(const char* path)
{
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;  // missing, or the word "max"
}

std::uint64_t system_available()
{
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kib = 0;
  std::string unit;
  while (file >> key >> kib >> unit)
    if (key == "MemAvailable:") return kib * 1024;
  return std::numeric_limits<std::uint64_t>::max();  // cannot be known: do not refuse anything
}

// What a limit leaves once what is used is taken away.
std::uint64_t left_under(const char* limit_path, const char* used_path)
{
  auto const limit = number_in(limit_path);
  if (!limit) return std::numeric_limits<std::uint64_t>::max();
  auto const used = number_in(used_path).value_or(0);
  return *limit > used ? *limit - used : 0;
}

}  // namespace

std::uint64_t available_memory_bytes()
{
  rlimit address_space{};
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY)
    limit = address_space.rlim_cur;
  return std::min(
      {limit, system_available(), left_under("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
       left_under("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes")});
}

std::uint64_t peak_resident_bytes()
{
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::string human_bytes(std::uint64_t bytes)
{
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 6) value /= 1024, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace brushfire
