// The levels of a tree, derived from its parent array alone, and the first vertices that make it no tree.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "input/labels.hpp"
#include "validate/lowest.hpp"

#include <brushfire/validate.hpp>

#include <cstdint>

namespace brushfire {

struct TreeLevels {
  Buffer<std::int32_t> levels;          // `unreached` outside the tree, smaller where the chain of parents ends nowhere
  std::uint64_t reached = 0;            // vertices with a parent
  std::int64_t depth = 0;               // largest level
  std::uint64_t rule_1 = Lowest::none;  // smallest vertex whose parents do not lead to the root
  std::uint64_t rule_2 = Lowest::none;  // smallest vertex whose parent is outside the tree or the graph
};

TreeLevels derive_levels(const Labels& labels, Vertex root, ParentsView parents, Team team);

}  // namespace brushfire
