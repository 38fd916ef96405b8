// What stands behind a Graph: its labels, its layout, and the tuples it came from, which validation reads again.
#pragma once

#include "build/layout.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"

#include <brushfire/graph.hpp>

#include <filesystem>
#include <memory>
#include <optional>

namespace brushfire {

class GraphData {
 public:
  Labels labels;
  Layout layout;
  std::shared_ptr<const EdgeSource> source;
  GraphFacts facts;
  std::optional<std::filesystem::path> stored_in;  // the .bfg file it is mapped from
  int threads = 0;
};

// Labels, plan, layout. Throws Error(memory) before anything large is allocated. `generation_seconds` is what it took
// to have the tuples.
Graph build_graph(std::shared_ptr<const EdgeSource> source, const GraphOptions& options,
                  Progress& progress = Progress::none(), double generation_seconds = 0);

}  // namespace brushfire
