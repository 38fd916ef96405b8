// Arrays of the caller's as an EdgeSource: tuples are made of them in each pass, and nothing is copied. All labels and
// offsets are looked at once, when the source is made, so that no pass meets one that it cannot use.
#pragma once

#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/arrays.hpp>

#include <memory>

namespace brushfire {

// Both throw Error(usage) for arrays of lengths that do not fit, Error(input) for what they hold.
std::unique_ptr<EdgeSource> tuples_of_edges(const EdgeArrays& edges, Team team);
// Of an undirected graph it is also found out whether every edge stands in the lists of both its ends.
std::unique_ptr<EdgeSource> tuples_of_rows(const CsrArrays& rows, bool directed, Team team);

}  // namespace brushfire
