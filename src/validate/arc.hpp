// What an arc u -> v tells about a tree, given the levels of both ends.
#pragma once

#include <brushfire/types.hpp>

#include <cstdint>

namespace brushfire {

enum class Arc {
  harmless,   // u is outside the tree or at the depth limit, or v is no deeper
  leaves,     // u is in the tree, v is not
  too_steep,  // v is more than one level below u
  one_down,   // v may have u as its parent
};

// Levels of a tree whose parents all lead to the root.
inline Arc judge_arc(std::int32_t from, std::int32_t to, std::int64_t deepest)
{
  if (from == unreached) return Arc::harmless;
  if (to == unreached) return from < deepest ? Arc::leaves : Arc::harmless;
  if (to <= from) return Arc::harmless;
  return to - from > 1 ? Arc::too_steep : Arc::one_down;
}

}  // namespace brushfire
