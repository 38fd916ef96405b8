// What a Report says of its surroundings: the machine, this process, the graph.
#include "base/memory.hpp"
#include "base/parallel.hpp"

#include <brushfire/report.hpp>

#include <fstream>

namespace brushfire {

namespace {

std::string cpu_name()
{
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    auto const value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value != std::string::npos) return line.substr(value);
  }
  return "unknown";  // not every architecture names its processor there
}

}  // namespace

HostReport describe_host() { return {.cpu = cpu_name(), .cores = Team::of(0).threads, .gpus = {}, .ranks = 1}; }

MemoryReport describe_memory() { return {.host_peak_bytes = peak_resident_bytes(), .device_bytes = 0}; }

GraphReport describe_graph(const GraphFacts& facts)
{
  return {.name = facts.name,
          .vertices = facts.vertices,
          .edges_input = facts.edges_input,
          .edges_stored = facts.edges_stored,
          .bytes = facts.bytes,
          .generation_seconds = facts.generation_seconds,
          .construction_seconds = facts.construction_seconds};
}

}  // namespace brushfire
