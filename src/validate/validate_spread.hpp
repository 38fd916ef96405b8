// Judges a tree that is spread over devices, threads of one process, ranks, or both, and is never gathered in one
// place: the verdict is that of validate_tree() on the whole tree, in every field.
#pragma once

#include "base/parallel.hpp"
#include "exchange/exchange.hpp"
#include "input/dealt_labels.hpp"
#include "input/tuple_share.hpp"
#include "validate/validate.hpp"

#include <brushfire/progress.hpp>
#include <brushfire/types.hpp>
#include <brushfire/validate.hpp>

namespace brushfire {

// Every device calls it with its own part, and all get the same verdict. `parents` is indexed by the number of a vertex
// on this device and holds labels, -1 outside the tree. Only the progress of the first device is told, for all.
Verdict validate_spread_tree(const TupleShare& tuples, const DealtLabels& labels, Label root, ParentsView parents,
                             const TreeRules& rules, Exchange& exchange, Team team, Progress& progress);

}  // namespace brushfire
