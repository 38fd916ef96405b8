// DIMACS files: "p sp n m" with an arc "a u v weight" per line (.gr, the shortest-path challenge), or
// "p edge n m" / "p col n m" with an edge "e u v" per line. Weights are ignored. Vertices are 1 ... n.
#pragma once

#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/progress.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace brushfire {

std::unique_ptr<EdgeSource> read_dimacs(std::span<const std::byte> bytes, const std::string& name, Team team,
                                        Progress& progress);

}  // namespace brushfire
