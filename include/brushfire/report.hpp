// Results as numbers, and the ways they are shown: the Graph500 block, JSON, HTML.
// A Report is plain data; whoever searched fills it in.
#pragma once

#include <brushfire/facts.hpp>
#include <brushfire/trace.hpp>
#include <brushfire/types.hpp>
#include <brushfire/units.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

struct SearchReport {
  Label root = no_label;
  double seconds = 0;
  std::uint64_t nedge = 0;
  double teps = 0;
  std::uint64_t reached = 0;
  std::int64_t depth = 0;
  std::optional<bool> valid{};  // nothing: not validated
  std::string violation;        // the verdict's line when not valid
  std::optional<double> validate_seconds{};
  std::optional<double> seconds_to_host{};   // what copying from a GPU took, outside `seconds`
  std::optional<std::vector<Label>> path{};  // to the target, empty when it was not reached; nothing: no target
  std::vector<LevelRecord> trace;
  // When it began, and its validation: seconds of the steady clock; nothing: it was not in this process.
  std::optional<double> started{};
  std::optional<double> validation_started{};
};

struct HostReport {
  std::string cpu;
  int cores = 0;
  std::vector<std::string> gpus;
  int ranks = 1;
  // Bytes a second, read and written, while all threads, or a GPU, copy large arrays; nothing: nobody measured.
  std::optional<double> memory_bandwidth{};
  std::optional<double> gpu_memory_bandwidth{};
};

struct GraphReport {
  std::string name;
  std::uint64_t vertices = 0;
  std::uint64_t edges_input = 0;
  std::uint64_t edges_stored = 0;
  std::uint64_t bytes = 0;
  double generation_seconds = 0;
  double construction_seconds = 0;
};

struct ConfigReport {
  std::string device = "cpu";
  int ranks = 1;
  int devices = 1;
  int threads = 1;
  std::string preset = "auto";
  std::string choice;                   // what auto chose, and why; empty for other presets
  std::string partition = "delegates";  // "1d" for a plain graph, "2d" for one that is cut by a grid
  std::string exchange = "direct";
  std::optional<int> fanout{};               // of the butterfly
  std::optional<GridShape> grid{};           // of the grid
  std::optional<std::uint64_t> threshold{};  // nothing: no delegates
  std::uint64_t delegates = 0;
  std::string direction = "auto";
  bool deterministic = false;
  int parent_bits = 32;
  std::string queue = "auto";  // these three of the adaptive preset only
  std::string balance = "auto";
  std::optional<bool> async_pull{};  // nothing: the preset's own choice
  // Of several devices.
  std::uint64_t entries_nn = 0;            // between normal vertices: those that are sent
  std::uint64_t subgraph_bytes = 0;        // row offsets and targets of all parts, and
  std::uint64_t subgraph_bytes_model = 0;  // what Pan, Pearce and Owens count (Table I): 8n + 8dp + 4m + 4|Enn|
  bool uniquify = false;
  bool local_all2all = false;
  std::string reduce = "nonblocking";
  std::string transport{};  // between the GPUs of several ranks: "nccl", "mpi", "ipc", "staged"; empty: there are none
  int all_devices() const { return ranks * devices; }
};

struct Graph500Report {
  int scale = 0;
  int edgefactor = 16;
  bool conforming = true;
  std::vector<std::string> reasons;  // why not conforming
};

struct MemoryReport {
  std::uint64_t host_peak_bytes = 0;
  std::uint64_t device_bytes = 0;
};

// What searches took from the mains while they were repeated.
struct EnergyReport {
  double joules = 0;
  double seconds = 0;
  std::uint64_t searches = 0;
  std::uint64_t edges = 0;            // that they traversed
  std::vector<std::string> counters;  // that were read: "package-0", "dram", the names of GPUs
  double watts() const { return seconds > 0 ? joules / seconds : 0; }
  double teps_per_watt() const { return joules > 0 ? static_cast<double>(edges) / joules : 0; }
};

struct Report {
  std::string command;
  std::string command_line{};  // as a shell would take it; empty: not known
  HostReport host;
  GraphReport graph;
  ConfigReport config;
  std::vector<SearchReport> searches;
  std::optional<Graph500Report> graph500{};
  MemoryReport memory;
  std::optional<MemoryPlan> plan{};      // by which it was built
  std::optional<EnergyReport> energy{};  // nothing: nobody measured, or there is no counter
};

// Seven numbers of a sample, with the quartile definitions of the Graph500 reference.
struct Statistics {
  double minimum = 0, first_quartile = 0, median = 0, third_quartile = 0, maximum = 0, mean = 0, stddev = 0;
};
Statistics statistics_of(std::vector<double> sample);

struct TepsStatistics {
  double harmonic_mean = 0, harmonic_stddev = 0;
  double minimum = 0, first_quartile = 0, median = 0, third_quartile = 0, maximum = 0;
};
TepsStatistics teps_of(std::span<const SearchReport> searches);

std::string graph500_block(const Report& report);  // the official lines, then the conforming line
std::string to_json(const Report& report);
std::string to_html(const Report& report);
std::string info_to_json(const HostReport& host, const GraphFacts& facts, const GraphSummary& summary,
                         const MemoryPlan& plan);
std::string plan_to_json(const std::string& command, const MemoryPlan& plan);

// What a Report says of the machine, of this process so far, and of a graph.
HostReport describe_host();
void measure_bandwidth(HostReport& host, Device device);  // takes up to 0.3 s; for a job of one rank, else does nothing
std::string command_line();                               // of this process, as a shell would take it
MemoryReport describe_memory();
GraphReport describe_graph(const GraphFacts& facts);

// "pull" where all subgraphs agree or the graph has no delegates, "dd pull dn pull nd pull nn push" where they differ.
std::string human_directions(const Directions& directions, bool plain);
std::string version();

}  // namespace brushfire
#pragma GCC visibility pop
