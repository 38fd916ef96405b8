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

// What a trace cannot be told from the outside.
struct TraceShape {
  bool target_reached = false;  // the search stopped because it came to its target
  bool in_parts = false;        // several devices shared the graph
};

// Likewise for the trace, given how the search was told to work: as many levels as the tree has, each the one that the
// level before found, and the choices of the adaptive preset as they were forced, or as its rules allow.
std::string trace_difference(const SearchResult& result, const SearchOptions& way, const SearchLimits& limits = {},
                             const TraceShape& shape = {});

std::string describe(const GraphOptions& graph, const SearchOptions& search);

}  // namespace brushfire::testing
