// METIS files (.graph): a header "n m [fmt [ncon]]", then line i lists the neighbours of vertex i, so that
// an empty line is an isolated vertex. Every undirected edge stands in two lists, which is checked.
// Sizes and weights are ignored. A self-loop may stand once or twice in its list.
#pragma once

#include "base/parallel.hpp"
#include "input/file_share.hpp"
#include "input/text_share.hpp"

#include <brushfire/progress.hpp>

#include <memory>

namespace brushfire {

std::unique_ptr<FileShare> read_metis(const TextShare& text, Team team, Progress& progress);

}  // namespace brushfire
