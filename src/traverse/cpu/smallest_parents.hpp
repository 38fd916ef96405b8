// A deterministic tree from any tree: among all neighbours one level up, the parent becomes the one with the
// smallest label.
#pragma once

#include "base/parallel.hpp"
#include "traverse/cpu/search_index.hpp"

#include <algorithm>
#include <cstdint>

namespace brushfire::cpu {

// `levels` is indexed by Vertex and complete, `delegate_levels` by rank.
template <typename Parent>
void choose_smallest_parents(const SearchIndex& index, LabelsView labels, const std::int32_t* levels,
                             const std::int32_t* delegate_levels, Parent* parents, Team team)
{
  const Layout& layout = index.layout;
  auto const choose = [&](Vertex vertex, Vertex row, const SubgraphView& delegates, const SubgraphView& normals) {
    if (levels[vertex] <= 0) return;
    std::int32_t const above = levels[vertex] - 1;
    Label smallest = largest_label;
    EntryRange const delegate_row = delegates.row(row);
    for (EdgeIndex e = delegate_row.first; e < delegate_row.last; ++e)
      if (Vertex const u = delegates.target(e); delegate_levels[u] == above)
        smallest = std::min(smallest, index.delegate_labels[u]);
    EntryRange const normal_row = normals.row(row);
    for (EdgeIndex e = normal_row.first; e < normal_row.last; ++e)
      if (Vertex const u = normals.target(e); levels[u] == above) {
        smallest = std::min(smallest, labels(u));
        break;  // Vertices rise with labels
      }
    parents[vertex] = static_cast<Parent>(smallest);
  };
  team.for_blocks(layout.delegates, 64, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t rank = first; rank < last; ++rank)
      choose(index.delegates_home[rank], static_cast<Vertex>(rank), layout.pulled(Subgraph::dd),
             layout.pulled(Subgraph::nd));
  });
  team.for_blocks(layout.vertices, 4096, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v)
      if (!test_bit(index.normals_never_waiting.data(), v))
        choose(static_cast<Vertex>(v), static_cast<Vertex>(v), layout.pulled(Subgraph::dn),
               layout.pulled(Subgraph::nn));
  });
}

}  // namespace brushfire::cpu
