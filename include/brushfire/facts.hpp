// Numbers about a graph: what it is, what it will take, what `brushfire info` prints. Plain data with no
// graph behind it, so that reports can show it without knowing any graph.
#pragma once

#include <brushfire/machine.hpp>
#include <brushfire/trace.hpp>
#include <brushfire/types.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

inline constexpr std::uint64_t plain_threshold = std::numeric_limits<std::uint64_t>::max();

struct GraphFacts {
  std::string name;
  bool directed = false;
  std::uint64_t vertices = 0;
  std::uint64_t edges_input = 0;   // tuples, as given
  std::uint64_t self_loops = 0;    // among them
  std::uint64_t edges_stored = 0;  // directed entries
  std::uint64_t bytes = 0;         // of the built graph
  std::uint64_t threshold = plain_threshold;
  std::uint64_t delegates = 0;
  std::array<std::uint64_t, subgraph_count> entries{};  // per Subgraph; they sum to edges_stored
  double generation_seconds = 0;
  double construction_seconds = 0;
  Preset preset = Preset::automatic;  // that it was built for
  int ranks = 1, devices = 1;         // that share the graph; devices in each rank
  std::uint64_t subgraph_bytes = 0;   // of a graph in parts: row offsets and targets of all
};

// One line of the memory plan.
struct PlannedBytes {
  std::string what;
  std::uint64_t bytes = 0;
};

// What will be allocated, computed before anything is. An upper bound: duplicates are not known yet.
struct MemoryPlan {
  std::string graph;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::vector<PlannedBytes> items;
  std::uint64_t peak_bytes = 0;       // largest total alive at one time
  std::uint64_t available_bytes = 0;  // on this machine now
  std::string memory = "memory";      // which memory: "memory", "GPU memory"
  int ranks = 1, devices = 1;         // that share the graph; devices in each rank
  std::string tuples;                 // "generated twice", "kept in memory", "kept in a file"
  bool fits() const { return peak_bytes <= available_bytes; }
  // What the bytes are of; vertices and edges are those of the whole graph.
  std::string per() const { return memory == "GPU memory" ? "GPU" : "rank"; }
  std::string memory_of_each() const { return ranks > 1 && per() == "rank" ? memory + " per rank" : memory; }
};

struct DegreeBucket {
  std::uint64_t from = 0, to = 0;  // degrees, both included
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
};

// What `brushfire info` prints.
struct GraphSummary {
  std::uint64_t isolated = 0;
  std::uint64_t largest_degree = 0;
  Label largest_degree_vertex = no_label;
  double mean_degree = 0;
  std::vector<DegreeBucket> degrees;
  std::uint64_t components = 0;  // isolated vertices included; weakly connected ones of a directed graph
  std::uint64_t largest_component = 0;
  Label smallest_label = no_label, largest_label = no_label;
  std::uint64_t suggested_threshold = plain_threshold;

  // For a graph that several devices share.
  struct Shared {
    int devices = 1;
    std::uint64_t threshold = plain_threshold;
    std::uint64_t delegates = 0;
    std::uint64_t entries_nn = 0;
    std::uint64_t bytes_per_search = 0;  // sent, by the model: d p/4 S' + 4 |Enn| with masks in S' = 4 levels
    std::uint64_t subgraph_bytes = 0;    // by Table I, below
  };
  std::optional<Shared> shared{};
};

// Bytes that p devices send in a search by the model of Pan, Pearce and Owens (section V), with masks exchanged in S'
// levels: d p/4 S' + 4 |Enn|.
constexpr std::uint64_t traffic_by_paper(std::uint64_t delegates, int devices, std::uint64_t mask_levels,
                                         std::uint64_t entries_nn)
{
  return delegates * static_cast<std::uint64_t>(devices) * mask_levels / 4 + 4 * entries_nn;
}

// What the four subgraphs take together when p devices share a graph with d delegates, as Pan, Pearce and Owens count
// it (Table I): 8n + 8dp + 4m + 4|Enn|, and the same for the transpose of a directed graph.
constexpr std::uint64_t subgraph_bytes_by_paper(const GraphFacts& facts, std::uint64_t delegates, int devices,
                                                std::uint64_t entries_nn)
{
  std::uint64_t const rows = facts.vertices + delegates * static_cast<std::uint64_t>(devices);
  return (facts.directed ? 2 : 1) * (8 * rows + 4 * facts.edges_stored + 4 * entries_nn);
}

}  // namespace brushfire
#pragma GCC visibility pop
