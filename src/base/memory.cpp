#include "base/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>

#include <sys/resource.h>
#include <unistd.h>

namespace brushfire {

namespace {

std::optional<std::uint64_t> number_in(const std::string& path)
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

// The value behind `key` in a file of "key value" lines.
std::uint64_t value_of(const std::string& path, const std::string& key)
{
  std::ifstream file(path);
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value)
    if (name == key) return value;
  return 0;
}

// What the limit of a control group leaves. Pages that only cache files count as used there, but give way.
std::uint64_t left_in_group(const std::string& folder, const char* limit_name, const char* used_name)
{
  auto const limit = number_in(folder + limit_name);
  if (!limit) return std::numeric_limits<std::uint64_t>::max();
  std::string const statistics = folder + "/memory.stat";
  std::uint64_t const cached = value_of(statistics, "inactive_file") + value_of(statistics, "active_file");
  std::uint64_t const used = number_in(folder + used_name).value_or(0);
  std::uint64_t const held = used > cached ? used - cached : 0;
  return *limit > held ? *limit - held : 0;
}

// The folder of this process's own group below the root of all groups; the outermost one where it cannot be told.
std::string own_group()
{
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::/") && line.size() > 4) return "/sys/fs/cgroup" + line.substr(3);
  return "/sys/fs/cgroup";
}

// Of this process, but for the first.
std::uint64_t threads_there()
{
  std::error_code error;
  std::filesystem::directory_iterator const tasks("/proc/self/task", error);
  auto const all = error ? 1 : std::distance(tasks, std::filesystem::directory_iterator());
  return static_cast<std::uint64_t>(all) - 1;
}

// A stack each, and an arena of malloc's, of which the GNU C library makes up to eight for every processor unless its
// variable says otherwise; the first thread's is none of them, and other threads that are there have theirs.
std::uint64_t address_space_of_threads(int threads)
{
  constexpr std::uint64_t arena_bytes = std::uint64_t{64} << 20, usual_stack_bytes = std::uint64_t{8} << 20;
  auto const count = static_cast<std::uint64_t>(threads);
  auto most_arenas = 8 * static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  if (const char* const wanted = std::getenv("MALLOC_ARENA_MAX"); wanted != nullptr && std::atoi(wanted) > 0)
    most_arenas = static_cast<std::uint64_t>(std::atoi(wanted)) - 1;
  rlimit stack{};
  bool const known = getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY;
  return count * (known ? stack.rlim_cur : usual_stack_bytes) +
         std::min(count, most_arenas - std::min(most_arenas, threads_there())) * arena_bytes;
}

std::uint64_t left_of_address_space(int threads_to_start)
{
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::uint64_t>::max();
  std::uint64_t const pages = number_in("/proc/self/statm").value_or(0);
  std::uint64_t const used =
      pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + address_space_of_threads(threads_to_start);
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

std::uint64_t available_memory_bytes(int processes, int threads_to_start)
{
  std::uint64_t const of_machine =
      std::min({system_available(), left_in_group(own_group(), "/memory.max", "/memory.current"),
                left_in_group("/sys/fs/cgroup", "/memory.max", "/memory.current"),
                left_in_group("/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes")});
  return std::min(left_of_address_space(threads_to_start), of_machine / static_cast<std::uint64_t>(processes));
}

bool address_space_is_limited()
{
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

std::uint64_t peak_resident_bytes()
{
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace brushfire
