// Judges a parent array by the five rules of the Graph500 benchmark. It reads the tuples themselves and
// shares no code with the search or the construction of the graph.
#pragma once

#include "base/parallel.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"

#include <brushfire/progress.hpp>
#include <brushfire/types.hpp>
#include <brushfire/validate.hpp>

#include <span>

namespace brushfire {

struct TreeRules {
  bool directed = false;
  std::optional<std::int64_t> max_depth;  // edges out of this level are exempt
};

// `parents` is indexed by Vertex of `labels` and holds labels, -1 outside the tree.
Verdict validate_tree(const EdgeSource& source, const Labels& labels, Label root, ParentsView parents,
                      const TreeRules& rules, Team team, Progress& progress);

}  // namespace brushfire
