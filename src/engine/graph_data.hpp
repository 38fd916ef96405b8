// What stands behind a Graph: its labels, its layout, and the tuples it came from, which validation reads again.
// The layout is in host memory or on a GPU, wherever it was built, and is copied to the other side once, when somebody
// asks for it there.
#pragma once

#include "base/mapped_file.hpp"
#include "base/parallel.hpp"
#include "build/bfg.hpp"
#include "build/layout.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"

#include <brushfire/graph.hpp>

#include <array>
#include <memory>
#include <mutex>
#include <optional>

namespace brushfire {

class GpuGraph;
class PartedGraph;

// What can be said of a layout wherever it is.
struct LayoutFacts {
  Vertex vertices = 0;
  Vertex delegates = 0;
  std::uint64_t threshold = 0;
  bool directed = false;
  std::array<std::uint64_t, subgraph_count> entries{};
  std::uint64_t bytes = 0;
};

class GraphData {
 public:
  Labels labels;                             // of a graph spread over ranks: only where somebody asked for them
  std::shared_ptr<const EdgeSource> source;  // the tuples of this rank
  GraphFacts facts;
  std::shared_ptr<const MappedFile> stored_in;  // the .bfg file it is mapped from, if it is
  GraphOptions options;                         // it was built with

  // One of these, once, before anything is asked.
  void hold(Layout layout) { layout_ = std::move(layout); }
  void hold(std::shared_ptr<const GpuGraph> graph);
  void hold(std::shared_ptr<const PartedGraph> graph) { parts_ = std::move(graph); }

  bool is_in_parts() const { return parts_ != nullptr; }
  const PartedGraph& in_parts() const { return *parts_; }  // where it is; then there is no layout
  const Layout& layout() const;
  const GpuGraph& on_gpu() const;
  // A vertex is named by its index, over the vertices of all devices where the graph is in parts.
  std::optional<std::uint64_t> find(Label label) const;
  Label label_at(std::uint64_t index) const;
  std::uint64_t indices() const;  // one past the last
  Label largest_label() const;
  std::uint32_t input_degree(std::uint64_t index) const;  // tuples at a vertex, see Layout
  Section<std::uint32_t> input_degrees() const;           // of all, on the host

 private:
  bool built_on_gpu_ = false;
  mutable std::once_flag copied_to_host_, copied_to_gpu_;
  mutable Layout layout_;
  mutable std::shared_ptr<const GpuGraph> on_gpu_;
  std::shared_ptr<const PartedGraph> parts_;
};

// The index of a vertex that the user named; throws Error(usage) when it is not in the graph.
std::uint64_t require_vertex(const Graph& graph, Label label, const char* role);

void require_whole(const GraphData& data);  // throws Error(usage) where the graph is in parts

// What is said of a graph, from its layout and the tuples it came from.
GraphFacts facts_of(const GraphData& data, const LayoutFacts& layout, const std::string& name, const BfgCounts& counts);
// Edges and self-loops as the user counts them, however often the source lists each.
BfgCounts tuple_counts(const EdgeFacts& facts, std::uint64_t loops_listed, bool directed);

// Input tuples of the tree: every tuple is counted at both of its ends unless the graph is directed. A whole search
// holds both ends or none; of one that a limit cut short, the tuples that lead out of the tree count by half.
std::uint64_t tuples_in_tree(const Layout& layout, ParentsView parents, Team team);

bool spreads(const GraphOptions& options);      // over several ranks
bool wants_parts(const GraphOptions& options);  // over several devices, of one rank or more
// A graph for several devices, or ranks, or both; from what the user named, or from tuples. Ranks that share it call it
// together.
Graph open_in_parts(const std::string& spec, const GraphOptions& options, Progress& progress);
Graph build_in_parts(std::shared_ptr<const EdgeSource> source, const GraphOptions& options, Progress& progress,
                     double generation_seconds, bool store_tuples);
// Whether a graph is built on a GPU of which this rank has so many tuples.
bool builds_on_gpu(const GraphOptions& options, std::uint64_t tuples, bool store_tuples);

// Labels, plan, layout, on the device that the options ask for. Throws Error(memory) before anything large is
// allocated. `generation_seconds` is what it took to have the tuples. With `store_tuples` tuples generated on a
// GPU are kept there.
Graph build_graph(std::shared_ptr<const EdgeSource> source, const GraphOptions& options,
                  Progress& progress = Progress::none(), double generation_seconds = 0, bool store_tuples = false);

}  // namespace brushfire
