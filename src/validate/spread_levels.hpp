// The levels of a tree that is spread over devices, derived from the parents alone.
#pragma once

#include "base/parallel.hpp"
#include "exchange/exchange.hpp"
#include "input/dealt_labels.hpp"
#include "validate/tree_levels.hpp"

namespace brushfire {

// What this device has of it: `levels` by the number of a vertex here, counts of the vertices here, and as witnesses
// the index that such a vertex has in the whole graph. Every device calls it; takes O(log vertices) rounds.
TreeLevels derive_spread_levels(const DealtLabels& labels, Label root, ParentsView parents, Exchange& exchange,
                                Team team);

}  // namespace brushfire
