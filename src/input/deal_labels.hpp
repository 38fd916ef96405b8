// Sparse labels numbered by all devices together: no device ever holds the labels of all. The devices must own all
// tuples between them, each its part; the vertices are the labels that occur. A label belongs to the device that a hash
// of it names, and its number there is its rank among the labels of that device.
//
// Work goes in blocks of tuples, as many as the device with the most has. A device needs memory for its own tuples, its
// own labels and a block; every tuple travels twice, as labels that occur and as labels asked for.
#pragma once

#include "base/parallel.hpp"
#include "exchange/exchange.hpp"
#include "input/dealt_labels.hpp"
#include "input/edge_source.hpp"

#include <brushfire/validate.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace brushfire {

// Tuples first ... first + count - 1 of a source.
struct EdgeRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

struct DealtGraph {
  DealtLabels labels;
  // The tuples of the range with indices (number * devices + device) in the place of labels; devices have different
  // numbers of vertices, so that some indices never occur. Null when labels are consecutive: the tuples are good as
  // they are.
  std::unique_ptr<const EdgeSource> tuples;
};

// Every device calls it, with the part of the tuples that is its own. Throws Error(memory), on all of them, when one
// has more labels than it can number.
DealtGraph deal_labels(const EdgeSource& source, EdgeRange range, Exchange& exchange, Team team,
                       std::uint64_t tuples_per_block = std::uint64_t{1} << 20);

// The index of the vertex that each label names, -1 where there is none. Every device calls it; a label that does not
// occur gets the index past the last of `indices`.
std::vector<Label> indices_of(const DealtLabels& names, const DealtLabels& indices, ParentsView labels,
                              Exchange& exchange);

}  // namespace brushfire
