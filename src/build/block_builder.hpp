// Tuples to blocks: every device reads its share of the tuples and sends each edge to the device that keeps it, as
// build_part() does for parts.
#pragma once

#include "base/parallel.hpp"
#include "build/block.hpp"
#include "build/part_builder.hpp"
#include "exchange/exchange.hpp"
#include "input/dealt_labels.hpp"
#include "input/tuple_share.hpp"

#include <brushfire/progress.hpp>

#include <cstdint>
#include <vector>

namespace brushfire {

struct BuiltBlock {
  Block block;
  Section<std::uint32_t> input_degrees;  // tuples at each own vertex
  PartTotals totals;                     // of all devices; all entries are nn
};

// Every device calls it.
BuiltBlock build_block(const TupleShare& tuples, const DealtLabels& labels, const BlockCut& cut, bool directed,
                       Exchange& exchange, Team team, Progress& progress);

// Where pieces of consecutive vertices begin that have about as many list entries each, and the end of the last; every
// device calls it with its own tuples. Vertices are weighed in a few thousand runs.
std::vector<std::uint64_t> balanced_bounds(const TupleShare& tuples, const DealtLabels& labels, Exchange& exchange,
                                           Team team);

}  // namespace brushfire
