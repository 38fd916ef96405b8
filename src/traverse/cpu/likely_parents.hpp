// Of the in-neighbours of every vertex the one with the longest list, or no_vertex: who is in many lists is found early
// and is then in a frontier that waiting vertices ask for. A plain graph has its lists in the order of labels, so this
// is what their first entries are where hubs stand in front.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"

#include <cstdint>

namespace brushfire::cpu {

inline Buffer<Vertex> likely_parents(const Layout& layout, Team team)
{
  SubgraphView const in = layout.pulled(Subgraph::nn), out = layout.pushed(Subgraph::nn);
  Buffer<Vertex> likely(layout.vertices);
  team.for_blocks(layout.vertices, 4096, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      EntryRange const row = in.row(static_cast<Vertex>(v));
      likely[v] = no_vertex;
      std::uint32_t longest = 0;
      for (EdgeIndex e = row.first; e < row.last; ++e) {
        Vertex const u = in.target(e);
        if (u >= layout.vertices || out.length(u) <= longest) continue;  // an altered file may name any
        longest = out.length(u);
        likely[v] = u;
      }
    }
  });
  return likely;
}

}  // namespace brushfire::cpu
