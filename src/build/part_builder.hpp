// Tuples to parts: every device reads its own share of the tuples and sends what it reads to the devices where it
// belongs, in bounded blocks, once to count degrees, once to count the rows, once to fill them. No device ever holds
// more than its part and a block.
#pragma once

#include "base/parallel.hpp"
#include "build/builder.hpp"
#include "build/degrees.hpp"
#include "build/part.hpp"
#include "exchange/exchange.hpp"
#include "input/dealt_labels.hpp"
#include "input/tuple_share.hpp"

#include <brushfire/progress.hpp>

#include <array>
#include <cstdint>

namespace brushfire {

// Of one device while it builds, then of all.
struct PartTotals {
  std::uint64_t tuples = 0;
  std::uint64_t self_loops = 0;  // among them
  std::array<std::uint64_t, subgraph_count> entries{};
  std::uint64_t bytes = 0;
  std::uint64_t subgraph_bytes = 0;
};

struct BuiltPart {
  Part part;
  PartTotals totals;  // of all devices
};

// Every device calls it, with the degrees of its own vertices: incoming ones too where the graph is directed.
BuiltPart build_part(const TupleShare& tuples, const DealtLabels& labels, const BuildOptions& options,
                     OwnDegrees counted, Exchange& exchange, Team team, Progress& progress);

}  // namespace brushfire
