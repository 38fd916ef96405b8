// The ids a caller meets. A label is what the input calls a vertex: any integer from 0 to 2^63-1.
// Everything that is absent (no parent, not reached) is -1, everywhere.
#pragma once

#include <cstdint>
#include <limits>

#pragma GCC visibility push(default)
namespace brushfire {

using Label = std::int64_t;
using Vertex = std::uint32_t;  // dense index of a vertex: its rank among the labels of the graph
using EdgeIndex = std::uint64_t;

inline constexpr Label no_label = -1;
inline constexpr Label largest_label = std::numeric_limits<Label>::max();
inline constexpr Vertex no_vertex = std::numeric_limits<Vertex>::max();
inline constexpr std::int32_t unreached = -1;  // the level of a vertex outside the tree

}  // namespace brushfire
#pragma GCC visibility pop
