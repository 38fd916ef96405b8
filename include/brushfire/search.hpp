// Breadth-first search. A Search owns the buffers for searching one graph and reuses them from root to root.
#pragma once

#include <brushfire/graph.hpp>
#include <brushfire/report.hpp>
#include <brushfire/trace.hpp>
#include <brushfire/types.hpp>
#include <brushfire/validate.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

inline constexpr int default_fanout = 4;

struct SearchOptions {
  std::optional<Direction> direction{};  // nothing: chosen per level and per subgraph
  bool deterministic = false;            // the parent is the smallest label that qualifies
  bool levels = false;                   // keep the level of every vertex too
  bool wide_parents = false;             // 64 bits even where 32 would do
  int threads = 0;                       // 0: every processor
  Device device = Device::automatic;
  bool results_on_host = true;  // copy parents and levels there after the clock has stopped; else they stay on the GPU

  Preset preset = Preset::automatic;
  // Of the adaptive preset on one device; nothing: by the rules of the paper.
  std::optional<FrontierQueue> queue{};
  std::optional<PullBalance> balance{};
  std::optional<bool> async_pull{};

  int fanout = default_fanout;  // of the butterfly: how many receivers a device has in a round

  // Of several devices.
  bool uniquify = false;           // send no vertex to another device twice in a level
  bool local_all2all = false;      // what goes to a device elsewhere is first joined by the devices of a rank
  bool nonblocking_reduce = true;  // the masks of ranks are combined while devices compute
};

struct SearchLimits {
  std::optional<Label> target{};            // stop once it is reached
  std::optional<std::int64_t> max_depth{};  // expand no vertex of this level
};

// Views into the Search that made it: valid until its next run() that is not refused.
struct SearchResult {
  Label root = no_label;
  double seconds = 0;
  std::uint64_t nedge = 0;    // input tuples in the component, duplicates counted, self-loops not;
                              // under a limit, those that lead out of the tree count by half
  std::uint64_t reached = 0;  // vertices in the tree, the root included
  std::int64_t depth = 0;     // largest level
  int parent_bits = 32;
  ParentsView parents;                   // labels, indexed by Vertex; empty when results stay on the GPU
  std::span<const std::int32_t> levels;  // empty unless asked for
  const Trace* trace = nullptr;
  std::optional<double> seconds_to_host{};  // what copying from a GPU took, outside `seconds`
  double started = 0;                       // seconds of the steady clock
  double teps() const { return seconds > 0 ? static_cast<double>(nedge) / seconds : 0; }
};

class Search {
 public:
  explicit Search(Graph graph, const SearchOptions& options = {});  // throws Error(memory) when it does not fit
  Search(Search&&) noexcept;
  Search& operator=(Search&&) noexcept;
  ~Search();

  SearchResult run(Label root, const SearchLimits& limits = {});  // throws Error(usage) for an unknown root

  bool has_result() const;  // false until a run() ends, and after one that failed; one that was refused changes nothing

  // Labels from the root to `target` along the last result; empty when it was not reached.
  std::vector<Label> path_to(Label target) const;
  Verdict validate(Progress& progress = Progress::none()) const;  // the last result

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Judges any parents of this graph, whoever found them: labels, indexed by Vertex, -1 outside the tree. Those of a
// search that was limited in depth are judged by that limit. Not for a graph that is spread over several ranks.
Verdict validate_parents(const Graph& graph, Label root, ParentsView parents,
                         std::optional<std::int64_t> max_depth = std::nullopt, Progress& progress = Progress::none());

// The plan for a graph, and for one search on it, without building it.
MemoryPlan plan_memory(const std::string& spec, const GraphOptions& options, const SearchOptions& search = {});
// The plan for a graph of one device if so many shared it.
MemoryPlan plan_of(const Graph& graph, int devices, const SearchOptions& search = {});

// For reports: how a search was set up, and what it found.
ConfigReport describe_config(const Graph& graph, const SearchOptions& options);
SearchReport describe_search(const SearchResult& result);
// Of the rank that needed most, where the graph is spread over several; all of them call it then.
MemoryReport describe_memory(const Graph& graph);

enum class VertexValue { parents, levels };
// Throws Error(usage) when write_result() could not write such a file for this graph: another ending than .txt or
// .npy, or an .npy that would be mostly gaps.
void require_result_file(const Graph& graph, const std::filesystem::path& file);
// Writes the last result's parents or levels to a .txt or .npy file.
void write_result(const Graph& graph, const SearchResult& result, VertexValue value, const std::filesystem::path& file);

// `count` distinct random labels of degree at least one, fewer when there are not as many.
std::vector<Label> random_sources(const Graph& graph, std::size_t count, std::uint64_t seed);

}  // namespace brushfire
#pragma GCC visibility pop
