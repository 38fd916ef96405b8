// What a search must deliver, computed from the tuples by the oracle, and the first thing in a result that is not
// so. Shared by the battery and by the properties.
#pragma once

#include "battery.hpp"
#include "input/labels.hpp"
#include "validate/oracle.hpp"

#include <brushfire/search.hpp>

#include <optional>
#include <string>

namespace brushfire::testing {

struct Expected {
  Expected(SharedSource source, Label root, bool directed, std::optional<std::int64_t> max_depth = std::nullopt);

  SharedSource source;
  Labels labels;
  Label root;
  bool directed;
  std::optional<std::int64_t> max_depth;
  OracleResult oracle;
  std::vector<Label> smallest_parents;  // what a deterministic search finds
};

// Empty when the result is right; it must have levels.
std::string difference(const SearchResult& result, const Expected& expected, bool deterministic);

std::string describe(const GraphOptions& graph, const SearchOptions& search);

}  // namespace brushfire::testing
