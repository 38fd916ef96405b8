// A search so simple that it can be believed: one queue, one thread, straight from the tuples. Tests compare
// every backend with it.
#pragma once

#include "input/edge_source.hpp"
#include "input/labels.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace brushfire {

struct OracleResult {
  std::vector<std::int32_t> levels;  // indexed by Vertex, `unreached` outside the tree
  std::uint64_t reached = 0;
  std::int64_t depth = 0;
  std::uint64_t nedge = 0;  // tuples with both ends reached, self-loops not counted
};

OracleResult oracle_search(const EdgeSource& source, const Labels& labels, Label root, bool directed,
                           std::optional<std::int64_t> max_depth = std::nullopt);

}  // namespace brushfire
