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

// The most build_layout() holds at one time, and what stays. Sizes beyond all memory saturate.
struct BuildBytes {
  std::uint64_t entries = 0;    // of all rows, duplicates included
  std::uint64_t rows = 0;       // starts, splits, bases
  std::uint64_t degrees = 0;    // kept
  std::uint64_t temporary = 0;  // gone when built
};
struct BuildCounts {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  bool directed = false;
  bool listed_twice = false;
  std::optional<std::uint64_t> threshold;  // as in BuildOptions
};
BuildBytes predict_build_bytes(const BuildCounts& counts);

// How many delegates there can be, before any degree is known.
std::uint64_t most_delegates(std::uint64_t vertices, std::optional<std::uint64_t> threshold);

}  // namespace brushfire
