// What a graph and a search on it will take, from counts alone.
#pragma once

#include "input/edge_source.hpp"
#include "input/packed_edges.hpp"

#include <brushfire/graph.hpp>

#include <cstdint>
#include <optional>

namespace brushfire {

struct PlanRequest {
  std::uint64_t vertices = 0;
  bool directed = false;
  bool wide_parents = false;
  bool sparse_labels = false;
  std::optional<TupleHome> keep_tuples;  // the list of a conforming Graph500 run
};

MemoryPlan make_plan(const EdgeFacts& facts, const PlanRequest& request);

// Throws Error(memory) that says what is needed, what there is, and the way out.
void require_fit(const MemoryPlan& plan);

}  // namespace brushfire
