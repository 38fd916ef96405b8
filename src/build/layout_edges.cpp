#include "build/layout_edges.hpp"

#include "build/rows.hpp"

#include <algorithm>

namespace brushfire {

LayoutListing::LayoutListing(const Layout& layout, const Labels& labels) : layout_(layout), labels_(labels)
{
  if (layout.delegates == 0) return;
  rank_of_.assign(layout.vertices, no_vertex);
  for (Vertex rank = 0; rank < layout.delegates; ++rank) rank_of_[layout.home(rank)] = rank;
}

void LayoutListing::list(const Adjacency& adjacency, Vertex vertex, std::vector<Vertex>& out) const
{
  out.clear();
  bool const delegate = !rank_of_.empty() && rank_of_[vertex] != no_vertex;
  Vertex const row = delegate ? rank_of_[vertex] : vertex;
  auto const view = [&](Subgraph of_delegate, Subgraph of_normal) {
    return adjacency.view(delegate ? of_delegate : of_normal, layout_.delegates, layout_.vertices);
  };
  SubgraphView const delegates = view(Subgraph::dd, Subgraph::nd);
  EntryRange const delegate_row = delegates.row(row);
  for (EdgeIndex e = delegate_row.first; e < delegate_row.last; ++e) out.push_back(layout_.home(delegates.target(e)));
  SubgraphView const normals = view(Subgraph::dn, Subgraph::nn);
  EntryRange const normal_row = normals.row(row);
  for (EdgeIndex e = normal_row.first; e < normal_row.last; ++e)
    out.push_back(std::min(normals.target(e), layout_.vertices - 1));
  std::sort(out.begin(), out.end());
}

LayoutEdges::LayoutEdges(std::string name, const Layout& layout, const Labels& labels)
    : EdgeSource({}), layout_(layout), labels_(labels)
{
  facts_.name = std::move(name);
  facts_.edges = layout.entries();
  facts_.listed_twice = !layout.directed;
  facts_.directed = layout.directed;
  if (labels.consecutive()) facts_.declared = LabelRange{labels.first(), labels.size()};
}

EdgeIndex LayoutEdges::start_of(std::uint64_t row) const
{
  return position_of(layout_.out.starts[row], layout_.out.bases[row / rows_per_base]);
}

void LayoutEdges::read(std::uint64_t first, std::span<Edge> out) const
{
  std::uint64_t const rows = std::uint64_t{layout_.delegates} + layout_.vertices;
  // The last row that starts at or before `first`.
  std::uint64_t low = 0, high = rows;
  while (high - low > 1) {
    std::uint64_t const middle = low + (high - low) / 2;
    (start_of(middle) <= first ? low : high) = middle;
  }
  std::uint64_t row = low;
  bool const separated = layout_.delegates != 0;
  auto const label_of = [&](Vertex v) { return labels_.label(std::min(v, layout_.vertices - 1)); };
  for (std::uint64_t i = 0; i < out.size(); ++i) {
    EdgeIndex const e = first + i;
    auto const offset = [&] { return static_cast<std::uint32_t>(e) - layout_.out.starts[row]; };
    while (row + 1 < rows && offset() >= layout_.out.starts[row + 1] - layout_.out.starts[row]) ++row;
    Vertex const source =
        row < layout_.delegates ? layout_.home(static_cast<Vertex>(row)) : static_cast<Vertex>(row - layout_.delegates);
    Vertex const target = layout_.out.targets[e];
    bool const to_delegate = separated && offset() < layout_.out.splits[row] - layout_.out.starts[row];
    out[i] = {label_of(source), label_of(to_delegate ? layout_.home(target) : target)};
  }
}

}  // namespace brushfire
