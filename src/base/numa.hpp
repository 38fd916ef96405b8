// Which NUMA nodes a machine has, and on which of them this process may run. Memory of another node is farther away,
// and a page lies on the node of the thread that first wrote to it.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace brushfire {

inline constexpr const char* numa_folder = "/sys/devices/system/node";

struct NumaNode {
  int number = 0;
  std::set<int> processors;
};

// Nodes that have processors, as the system describes them in a folder; none when it does not say.
std::vector<NumaNode> numa_nodes(const std::filesystem::path& folder = numa_folder);

// The processors that this thread may run on.
std::set<int> allowed_processors();

// One line: how many nodes, where this process may run, and what to do when that is on several.
std::string describe_numa(const std::vector<NumaNode>& nodes, const std::set<int>& processors);

}  // namespace brushfire
