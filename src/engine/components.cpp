// Weakly connected components, by joining the ends of every edge.
#include "base/error.hpp"
#include "engine/for_each_row.hpp"
#include "engine/graph_data.hpp"
#include "input/vertex_values.hpp"

#include <brushfire/applications.hpp>
#include <brushfire/graph.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <tuple>
#include <utility>

namespace brushfire {

namespace {

// Lock-free union-find: every vertex points to a smaller one of its component, roots to themselves.
class UnionFind {
 public:
  explicit UnionFind(Vertex vertices) : parent_(vertices) { std::iota(parent_.begin(), parent_.end(), Vertex{0}); }

  void join(Vertex a, Vertex b)
  {
    for (;;) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      Vertex expected = a;
      // Relaxed: only the pointer itself is shared, and it moves one way.
      if (at(a).compare_exchange_strong(expected, b, std::memory_order_relaxed)) return;
    }
  }

  Vertex root(Vertex v)
  {
    for (;;) {
      Vertex const above = at(v).load(std::memory_order_relaxed);
      if (above == v) return v;
      Vertex const two_above = at(above).load(std::memory_order_relaxed);
      at(v).store(two_above, std::memory_order_relaxed);  // path halving
      v = two_above;
    }
  }

 private:
  std::atomic_ref<Vertex> at(Vertex v) { return std::atomic_ref<Vertex>(parent_[v]); }
  std::vector<Vertex> parent_;
};

UnionFind join_ends(const Layout& layout, Team team)
{
  UnionFind joined(layout.vertices);
  for_each_row(layout, layout.out, team, [&](Vertex vertex, Vertex row, const SubgraphView& d, const SubgraphView& n) {
    EntryRange const to_delegates = d.row(row), to_normals = n.row(row);
    for (EdgeIndex e = to_delegates.first; e < to_delegates.last; ++e) joined.join(vertex, layout.home(d.target(e)));
    for (EdgeIndex e = to_normals.first; e < to_normals.last; ++e)
      joined.join(vertex, std::min(n.target(e), layout.vertices - 1));
  });
  return joined;
}

}  // namespace

Components find_components(const Graph& graph)
{
  const GraphData& data = graph.data();
  require_whole(data);
  Team const team = Team::of(data.options.threads);
  UnionFind joined = join_ends(data.layout(), team);
  Components found;
  found.of.resize(data.layout().vertices);
  std::vector<std::uint32_t> sizes(found.of.size());
  for (Vertex v = 0; v < found.of.size(); ++v) ++sizes[found.of[v] = joined.root(v)];
  for (Vertex v = 0; v < sizes.size(); ++v)
    if (sizes[v] != 0) found.components.push_back({graph.label(v), sizes[v]});
  std::stable_sort(found.components.begin(), found.components.end(),
                   [](const Component& a, const Component& b) { return a.vertices > b.vertices; });
  return found;
}

void write_components(const Graph& graph, const Components& components, const std::filesystem::path& file)
{
  const GraphData& data = graph.data();
  write_vertex_values(
      file, data.labels, [&](Vertex v) { return data.labels.label(components.of[v]); }, Team::of(data.options.threads));
}

}  // namespace brushfire
