// DIMACS files: "p sp n m" with an arc "a u v weight" per line (.gr, the shortest-path challenge), or
// "p edge n m" / "p col n m" with an edge "e u v" per line. Weights are ignored. Vertices are 1 ... n.
#pragma once

#include "base/parallel.hpp"
#include "input/file_share.hpp"
#include "input/text_share.hpp"

#include <brushfire/progress.hpp>

#include <memory>

namespace brushfire {

std::unique_ptr<FileShare> read_dimacs(const TextShare& text, Team team, Progress& progress);

}  // namespace brushfire
