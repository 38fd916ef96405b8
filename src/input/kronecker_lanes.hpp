// Edges of the Kronecker graph computed side by side, one in each 32-bit lane of a vector. The kernels differ only in
// how wide their vectors are; the widest that the processor has is chosen when the program runs.
#pragma once

#include "input/edge_source.hpp"
#include "input/graph500_random.hpp"

#include <cstdint>
#include <span>

namespace brushfire {

// The permutation of labels.
struct KroneckerScramble {
  std::uint64_t add;
  std::uint64_t factors[2];
  int scale;

  Label operator()(std::uint64_t vertex) const;
};

struct KroneckerLanes {
  int lanes;  // a power of two
  // Fills `out` with consecutive edges. The numbers of the first start at `start`, those of an edge are `to_next_edge`
  // ahead of those of the edge before, and `to_next_lanes` is that for `lanes` edges. redrawn[g] tells whether one of
  // `lanes` edges, from g * lanes on, met a number that the reference draws again: these are to be computed otherwise.
  void (*generate)(const Graph500Random::State& start, const Graph500Random::Matrix& to_next_edge,
                   const Graph500Random::Matrix& to_next_lanes, const KroneckerScramble& scramble, std::span<Edge> out,
                   char* redrawn);
};

std::span<const KroneckerLanes> usable_kronecker_lanes();  // on this processor, the widest first; never none

}  // namespace brushfire
