#include "build/layout.hpp"

namespace brushfire {

SubgraphView Adjacency::view(Subgraph kind, Vertex delegates, Vertex vertices) const
{
  bool const delegate_rows = kind == Subgraph::dd || kind == Subgraph::dn;
  bool const delegate_targets = kind == Subgraph::dd || kind == Subgraph::nd;
  std::uint64_t const first_row = delegate_rows ? 0 : delegates;
  const std::uint32_t* const begins = starts.data() + first_row;
  const std::uint32_t* const ends = begins + 1;
  // Where there are no splits the whole row is of one kind: normal neighbours in a graph without delegates, delegates
  // in the normal rows of a part.
  bool const split = splits.size() > first_row;
  const std::uint32_t* const middle = split ? splits.data() + first_row : delegates == 0 ? begins : ends;
  auto const mask = static_cast<Vertex>(capacity_for(delegate_targets ? delegates : vertices) - 1);
  return {delegate_targets ? begins : middle,
          delegate_targets ? middle : ends,
          bases.data(),
          targets.data(),
          first_row,
          targets.size(),
          mask};
}

SubgraphView Layout::pulled(Subgraph kind) const { return in.view(reversed(kind), delegates, vertices); }

std::uint64_t Layout::entries(Subgraph kind) const
{
  SubgraphView const view = pushed(kind);
  bool const delegate_rows = kind == Subgraph::dd || kind == Subgraph::dn;
  std::uint64_t sum = 0;
  for (Vertex row = 0; row < (delegate_rows ? delegates : vertices); ++row) sum += view.length(row);
  return sum;
}

std::uint64_t Layout::bytes() const
{
  return delegate_vertices.bytes() + input_degrees.bytes() + out.bytes() + (directed ? in.bytes() : 0);
}

}  // namespace brushfire
