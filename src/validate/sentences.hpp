// The sentences of a verdict, each from the few values it names: wherever a tree lies, and whoever found what is wrong
// with it, it is said in these words.
#pragma once

#include "input/edge_source.hpp"

#include <brushfire/types.hpp>
#include <brushfire/validate.hpp>

#include <cstdint>
#include <string>

namespace brushfire {

namespace sentences {

std::string not_rooted(Label vertex, Label parent, Label root);
std::string no_parent(Label vertex, Label parent, bool parent_in_graph);
std::string root_missing(Label root);
std::string joins_levels(Edge edge, std::int32_t source_level, std::int32_t target_level);
std::string too_deep(Label vertex, std::int32_t level, std::int64_t deepest);
std::string leaves_tree(Edge edge, bool source_in_tree);
std::string not_an_edge(Label vertex, Label parent);

}  // namespace sentences

// What was counted, with the rule that is broken.
Verdict broken(Verdict verdict, int rule, const std::string& what);

// Requests that are no tree of this graph: Error(usage).
[[noreturn]] void refuse_root(const EdgeSource& source, Label root);
[[noreturn]] void refuse_size(const EdgeSource& source, std::uint64_t parents, std::uint64_t vertices);

}  // namespace brushfire
