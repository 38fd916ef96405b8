#include "base/numa.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>

#include <sched.h>

namespace brushfire {

namespace {

// The number that `text` is, all of it.
std::optional<int> whole_number(std::string_view text)
{
  int number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

// "0-3,8" as the kernel writes it. What does not read so is left out.
std::set<int> processors_listed(const std::string& list)
{
  constexpr int most_processors = 1 << 16;
  std::set<int> processors;
  for (std::size_t first = 0; first < list.size();) {
    std::size_t const comma = std::min(list.find(',', first), list.size());
    std::string_view const range = std::string_view(list).substr(first, comma - first);
    std::size_t const dash = std::min(range.find('-'), range.size());
    auto const from = whole_number(range.substr(0, dash));
    auto const to = dash < range.size() ? whole_number(range.substr(dash + 1)) : from;
    if (from && to)
      for (int processor = *from; processor <= std::min(*to, most_processors); ++processor)
        processors.insert(processor);
    first = comma + 1;
  }
  return processors;
}

bool runs_on(const NumaNode& node, const std::set<int>& processors)
{
  return std::any_of(node.processors.begin(), node.processors.end(),
                     [&](int processor) { return processors.contains(processor); });
}

}  // namespace

std::vector<NumaNode> numa_nodes(const std::filesystem::path& folder)
{
  std::vector<NumaNode> nodes;
  std::error_code ignored;
  for (auto const& entry : std::filesystem::directory_iterator(folder, ignored)) {
    std::string const name = entry.path().filename();
    if (!name.starts_with("node")) continue;
    auto const number = whole_number(std::string_view(name).substr(4));
    std::string list;
    std::ifstream file(entry.path() / "cpulist");
    if (!number || !std::getline(file, list)) continue;
    NumaNode node{*number, processors_listed(list)};
    if (!node.processors.empty()) nodes.push_back(std::move(node));
  }
  std::sort(nodes.begin(), nodes.end(), [](const NumaNode& a, const NumaNode& b) { return a.number < b.number; });
  return nodes;
}

std::set<int> allowed_processors()
{
  cpu_set_t allowed;
  std::set<int> processors;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &allowed)) processors.insert(processor);
  return processors;
}

std::string describe_numa(const std::vector<NumaNode>& nodes, const std::set<int>& processors)
{
  if (nodes.empty()) return "the system does not say which nodes there are";
  if (nodes.size() == 1) return "one node: all memory is equally near";
  std::vector<int> mine;
  for (const NumaNode& node : nodes)
    if (runs_on(node, processors)) mine.push_back(node.number);
  if (mine.empty()) return fmt::format("{} nodes; the system does not say on which this process may run", nodes.size());
  if (mine.size() == 1)
    return fmt::format("{} nodes, this process runs on node {} alone: its memory is near", nodes.size(), mine.front());
  return fmt::format(
      "{} nodes, this process may run on {} of them ({}), so what it reads may lie on another one; have a rank for "
      "each: "
      "mpirun --map-by numa --bind-to numa, or stay on one: numactl --cpunodebind={} --membind={}",
      nodes.size(), mine.size(), fmt::join(mine, ", "), mine.front(), mine.front());
}

}  // namespace brushfire
