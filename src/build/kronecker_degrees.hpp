// The degrees that a Graph500 Kronecker graph will have, from its recipe alone: every bit of a tuple's end is drawn by
// itself, so all vertices with as many ones among their bits (before labels are scrambled) have the same mean degree,
// and degrees around a mean are those of Poisson. Costs nothing at any scale.
#pragma once

#include "build/degrees.hpp"

#include <cstdint>

namespace brushfire {

// As histogram_of() would count them, duplicates and self-loops included; counts are rounded.
DegreeHistogram expected_kronecker_degrees(int scale, std::uint64_t edge_factor);

}  // namespace brushfire
