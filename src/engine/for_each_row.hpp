// Every vertex of a layout with its list, whatever kind of vertex it is.
#pragma once

#include "base/parallel.hpp"
#include "build/layout.hpp"

#include <brushfire/types.hpp>

#include <cstdint>

namespace brushfire {

// Calls body(vertex, row, delegates, normals) for every vertex with the two runs of its row in `adjacency`.
template <typename Body>
void for_each_row(const Layout& layout, const Adjacency& adjacency, Team team, Body&& body)
{
  auto const view = [&](Subgraph kind) { return adjacency.view(kind, layout.delegates, layout.vertices); };
  SubgraphView const dd = view(Subgraph::dd), dn = view(Subgraph::dn), nd = view(Subgraph::nd), nn = view(Subgraph::nn);
  team.for_blocks(layout.delegates, 16, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t rank = first; rank < last; ++rank)
      body(layout.home(static_cast<Vertex>(rank)), static_cast<Vertex>(rank), dd, dn);
  });
  team.for_blocks(layout.vertices, 4096, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) body(static_cast<Vertex>(v), static_cast<Vertex>(v), nd, nn);
  });
}

}  // namespace brushfire
