// Judges a parent array by the five rules of the Graph500 benchmark. It reads the tuples themselves and
// shares no code with the search or the construction of the graph.
#pragma once

#include "base/parallel.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"

#include <brushfire/progress.hpp>
#include <brushfire/types.hpp>
#include <brushfire/validate.hpp>

#include <cstdint>
#include <limits>
#include <optional>

namespace brushfire {

struct TreeRules {
  bool directed = false;
  std::optional<std::int64_t> max_depth;  // edges out of this level are exempt

  std::int64_t deepest() const { return max_depth.value_or(std::numeric_limits<std::int64_t>::max()); }
  // The edges that so many tuples are.
  std::uint64_t edges_in(std::uint64_t tuples, const EdgeFacts& facts) const
  {
    return facts.listed_twice && !directed ? tuples / 2 : tuples;
  }
};

// `parents` is indexed by Vertex of `labels` and holds labels, -1 outside the tree.
Verdict validate_tree(const EdgeSource& source, const Labels& labels, Label root, ParentsView parents,
                      const TreeRules& rules, Team team, Progress& progress);

}  // namespace brushfire
