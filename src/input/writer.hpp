// Writes a graph in the format its file name asks for, packed when the name ends in .gz or .zst. The file
// appears whole or not at all. Labels stay as they are wherever the format allows it; where it counts from
// one or from zero and the labels do not, they are shifted and a note says so.
#pragma once

#include "base/parallel.hpp"
#include "input/edge_source.hpp"
#include "input/graph_listing.hpp"

#include <brushfire/progress.hpp>

#include <filesystem>

namespace brushfire {

// Everything but .bfg. Throws Error(usage) for a name or a graph that does not fit a format, before the
// file is touched, and Error(failure) when it cannot be written.
void write_graph_file(const GraphListing& graph, const std::filesystem::path& path, Team team, Progress& progress);

// The tuples as they come, self-loops and duplicates included; edge lists only.
void write_tuples(const EdgeSource& source, const std::filesystem::path& path, Team team, Progress& progress);

}  // namespace brushfire
