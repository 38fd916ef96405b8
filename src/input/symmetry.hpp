// Whether a source that lists every undirected edge twice really does. One pass sums a hash of every
// tuple and takes away the hash of its reverse: the sum is zero when both are listed equally often. The sums of
// several parts of a tuple list add up to that of the list.
#pragma once

#include "base/mixed.hpp"
#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <functional>
#include <span>

namespace brushfire {

// Hash of an ordered pair; sums of it tell multisets of tuples apart.
constexpr std::uint64_t tuple_hash(Label source, Label target)
{
  return mixed(mixed(static_cast<std::uint64_t>(source) + 0x9e3779b97f4a7c15) + static_cast<std::uint64_t>(target));
}

std::uint64_t imbalance_of(const EdgeSource& source, Team team);

using TakeTuples = std::function<void(std::span<const Edge>)>;

// Throws Error(input) that names a tuple without its reverse: there is one. `pass` hands over all tuples each time it
// is called; the facts declare the range of their labels.
[[noreturn]] void name_witness(const EdgeFacts& facts, const std::function<void(const TakeTuples&)>& pass);

}  // namespace brushfire
