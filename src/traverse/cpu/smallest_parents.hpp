// A deterministic tree from any tree: among all neighbours one level up, the parent becomes the one with the
// smallest label.
#pragma once

#include "base/parallel.hpp"
#include "traverse/cpu/search_index.hpp"

#include <cstdint>

namespace brushfire::cpu {

// `levels` and `parents` are indexed by Vertex, `delegate_levels` and `delegate_parents` by rank. What has no
// neighbour one level up in this layout gets -1: on one of several devices, others may know of one.
template <typename Parent>
void choose_smallest_parents(const SearchIndex& index, LabelsView labels, const std::int32_t* levels,
                             const std::int32_t* delegate_levels, Parent* parents, Parent* delegate_parents, Team team)
{
  const Layout& layout = index.layout;
  auto const smallest_of = [&](Vertex row, std::int32_t above, const SubgraphView& delegates,
                               const SubgraphView& normals) {
    Label smallest = no_label;
    EntryRange const delegate_row = delegates.row(row);
    for (EdgeIndex e = delegate_row.first; e < delegate_row.last; ++e)
      if (Vertex const u = delegates.target(e); delegate_levels[u] == above)
        smallest = smaller_label(smallest, index.delegate_labels[u]);
    EntryRange const normal_row = normals.row(row);
    for (EdgeIndex e = normal_row.first; e < normal_row.last; ++e)
      if (Vertex const u = normals.target(e); levels[u] == above) {
        smallest = smaller_label(smallest, labels(u));
        break;  // Vertices rise with labels
      }
    return static_cast<Parent>(smallest);
  };
  team.for_blocks(layout.delegates, 64, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t rank = first; rank < last; ++rank)
      if (delegate_levels[rank] > 0)
        delegate_parents[rank] = smallest_of(static_cast<Vertex>(rank), delegate_levels[rank] - 1,
                                             layout.pulled(Subgraph::dd), layout.pulled(Subgraph::nd));
  });
  team.for_blocks(layout.vertices, 4096, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v)
      if (levels[v] > 0 && !test_bit(index.normals_never_waiting.data(), v))
        parents[v] = smallest_of(static_cast<Vertex>(v), levels[v] - 1, layout.pulled(Subgraph::dn),
                                 layout.pulled(Subgraph::nn));
  });
}

}  // namespace brushfire::cpu
