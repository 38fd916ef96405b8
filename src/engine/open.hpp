// From the text of a GRAPH argument to its tuples.
#pragma once

#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/graph.hpp>
#include <brushfire/progress.hpp>

#include <memory>
#include <string>

namespace brushfire {

// A generator, or any file but .bfg, which holds no tuples.
std::shared_ptr<const EdgeSource> open_tuples(const std::string& spec, Team team, Progress& progress);

bool names_stored_graph(const std::string& spec);  // a .bfg file

}  // namespace brushfire
