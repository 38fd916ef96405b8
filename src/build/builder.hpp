// Tuples to layout, in two passes over the tuples and no copy of them: count the degrees, then drop each
// tuple's ends into their rows; rows are then sorted, cleared of duplicates and closed up in place.
#pragma once

#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"

#include <brushfire/progress.hpp>

#include <cstdint>
#include <optional>

namespace brushfire {

struct BuildOptions {
  bool directed = false;
  std::optional<std::uint64_t> threshold;  // nothing: chosen
};

struct Built {
  Layout layout;
  std::uint64_t self_loops = 0;
};

Built build_layout(const EdgeSource& source, const Labels& labels, const BuildOptions& options, Team team,
                   Progress& progress);

// The most build_layout() holds at one time, and what stays, for a graph of this size.
struct BuildBytes {
  std::uint64_t entries = 0;    // of all rows, duplicates included
  std::uint64_t rows = 0;       // starts, splits, bases
  std::uint64_t degrees = 0;    // kept
  std::uint64_t temporary = 0;  // gone when built
};
BuildBytes predict_build_bytes(std::uint64_t vertices, std::uint64_t edges, bool directed, bool listed_twice);

}  // namespace brushfire
