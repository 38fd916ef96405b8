// Whether a source that lists every undirected edge twice really does. One pass sums a hash of every
// tuple and takes away the hash of its reverse: the sum is zero when both are listed equally often.
#pragma once

#include "base/parallel.hpp"
#include "input/edge_source.hpp"

namespace brushfire {

// Hash of an ordered pair; sums of it tell multisets of tuples apart.
std::uint64_t tuple_hash(Label source, Label target);

// Throws Error(input) that names a tuple without its reverse. The source declares its range of labels.
void check_symmetric(const EdgeSource& source, Team team);

}  // namespace brushfire
