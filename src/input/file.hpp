// Any graph file as an EdgeSource. What the bytes say counts first (gzip, zstd, a Matrix Market banner),
// then the extension; a file of an unknown extension is tried as an edge list. Graphs in our own format
// (.bfg) are no edge sources: the build room opens them.
#pragma once

#include "base/parallel.hpp"
#include "input/file_share.hpp"

#include <brushfire/progress.hpp>

#include <filesystem>
#include <memory>

namespace brushfire {

// Throws Error(input): missing, unreadable, malformed.
std::unique_ptr<EdgeSource> open_edge_file(const std::filesystem::path& path, Team team, Progress& progress);

// One share of it. The caller sums the tallies of all shares and settles each with the sum.
std::unique_ptr<FileShare> open_edge_file_share(const std::filesystem::path& path, Share share, Team team,
                                                Progress& progress);

}  // namespace brushfire
