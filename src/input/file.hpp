// Any graph file as an EdgeSource. What the bytes say counts first (gzip, zstd, a Matrix Market banner),
// then the extension; a file of an unknown extension is tried as an edge list. Graphs in our own format
// (.bfg) are no edge sources: the build room opens them.
#pragma once

#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/progress.hpp>

#include <filesystem>
#include <memory>

namespace brushfire {

// Throws Error(input): missing, unreadable, malformed.
std::unique_ptr<EdgeSource> open_edge_file(const std::filesystem::path& path, Team team, Progress& progress);

}  // namespace brushfire
