// METIS files (.graph): a header "n m [fmt [ncon]]", then line i lists the neighbours of vertex i, so that
// an empty line is an isolated vertex. Every undirected edge stands in two lists, which is checked.
// Sizes and weights are ignored. A self-loop may stand once or twice in its list.
#pragma once

#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/progress.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace brushfire {

std::unique_ptr<EdgeSource> read_metis(std::span<const std::byte> bytes, const std::string& name, Team team,
                                       Progress& progress);

}  // namespace brushfire
