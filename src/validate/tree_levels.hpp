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
  // Below zero a level says why there is none: `unreached` outside the tree, or
  static constexpr std::int32_t unsettled = -2;  // while levels are derived: not known yet
  static constexpr std::int32_t severed = -3;    // the chain of parents ends outside the tree
  static constexpr std::int32_t astray = -4;     // it runs into a cycle

  Buffer<std::int32_t> levels;
  std::uint64_t reached = 0;            // vertices with a parent
  std::int64_t depth = 0;               // largest level
  std::uint64_t rule_1 = Lowest::none;  // smallest vertex whose parents do not lead to the root
  std::uint64_t rule_2 = Lowest::none;  // smallest vertex whose parent is outside the tree or the graph
};

// A level that 32 bits cannot hold: Error(failure).
[[noreturn]] void refuse_depth();

TreeLevels derive_levels(const Labels& labels, Vertex root, ParentsView parents, Team team);

}  // namespace brushfire
