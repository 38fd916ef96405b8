// What stands behind a Graph: its labels, its layout, and the tuples it came from, which validation reads again.
#pragma once

#include "base/mapped_file.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"

#include <brushfire/graph.hpp>

#include <memory>
#include <optional>

namespace brushfire {

class GraphData {
 public:
  Labels labels;
  Layout layout;
  std::shared_ptr<const EdgeSource> source;
  GraphFacts facts;
  std::shared_ptr<const MappedFile> stored_in;  // the .bfg file it is mapped from, if it is
  int threads = 0;
};

// Input tuples of the tree: every tuple is counted at both of its ends unless the graph is directed. A whole search
// holds both ends or none; of one that a limit cut short, the tuples that lead out of the tree count by half.
std::uint64_t tuples_in_tree(const Layout& layout, ParentsView parents, Team team);

// Labels, plan, layout. Throws Error(memory) before anything large is allocated. `generation_seconds` is what it took
// to have the tuples.
Graph build_graph(std::shared_ptr<const EdgeSource> source, const GraphOptions& options,
                  Progress& progress = Progress::none(), double generation_seconds = 0);

}  // namespace brushfire
