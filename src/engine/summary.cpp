// What can be said about a graph without searching it: degrees, components, the vertex with the most neighbours.
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "build/degrees.hpp"
#include "build/layout.hpp"
#include "engine/for_each_row.hpp"
#include "engine/graph_data.hpp"
#include "engine/parted_graph.hpp"
#include "engine/plan.hpp"

#include <brushfire/applications.hpp>
#include <brushfire/graph.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

namespace brushfire {

namespace {

// The neighbours of every vertex in one direction.
std::vector<std::uint32_t> neighbour_counts(const Layout& layout, const Adjacency& adjacency, Team team)
{
  std::vector<std::uint32_t> counts(layout.vertices);
  for_each_row(layout, adjacency, team, [&](Vertex vertex, Vertex row, const SubgraphView& d, const SubgraphView& n) {
    // A delegate has a second, empty row among the normal ones.
    if (std::uint32_t const length = d.length(row) + n.length(row); length != 0)
      std::atomic_ref<std::uint32_t>(counts[vertex]).store(length, std::memory_order_relaxed);
  });
  return counts;
}

// As the builder of parts would choose, which goes by the tuples at each vertex, as far as they are kept.
GraphSummary::Shared summary_of_parts(const Layout& layout, std::span<const std::uint32_t> out,
                                      std::span<const std::uint32_t> in, int devices,
                                      std::optional<std::uint64_t> threshold, Team team)
{
  auto const degrees = layout.directed ? out : layout.input_degrees.span();
  auto const degree = [&](Vertex v) { return std::uint64_t{degrees[v]} + (in.empty() ? 0 : in[v]); };
  GraphSummary::Shared shared;
  shared.devices = devices;
  shared.threshold = threshold ? *threshold : choose_threshold_of_parts(histogram_of(degrees, in, team), devices);
  for (Vertex v = 0; v < layout.vertices; ++v) shared.delegates += degree(v) > shared.threshold ? 1 : 0;
  std::atomic<std::uint64_t> between_normals{0};
  for_each_row(layout, layout.out, team, [&](Vertex vertex, Vertex row, const SubgraphView& d, const SubgraphView& n) {
    if (degree(vertex) > shared.threshold) return;
    std::uint64_t found = 0;
    EntryRange const to_delegates = d.row(row), to_normals = n.row(row);
    for (EdgeIndex e = to_delegates.first; e < to_delegates.last; ++e)
      found += degree(layout.home(d.target(e))) <= shared.threshold ? 1 : 0;
    for (EdgeIndex e = to_normals.first; e < to_normals.last; ++e)
      found += degree(std::min(n.target(e), layout.vertices - 1)) <= shared.threshold ? 1 : 0;
    between_normals.fetch_add(found, std::memory_order_relaxed);
  });
  shared.entries_nn = between_normals.load();
  shared.bytes_per_search = traffic_by_paper(shared.delegates, devices, 4, shared.entries_nn);
  return shared;
}

}  // namespace

std::uint64_t Graph::degree(Vertex vertex) const
{
  require_whole(*data_);
  Layout const& layout = data_->layout();
  SubgraphView const nd = layout.pushed(Subgraph::nd), nn = layout.pushed(Subgraph::nn);
  if (std::uint64_t const own = std::uint64_t{nd.length(vertex)} + nn.length(vertex); own != 0) return own;
  auto const ranked = layout.delegate_vertices.span();
  auto const found = std::find(ranked.begin(), ranked.end(), vertex);
  if (found == ranked.end()) return 0;
  auto const rank = static_cast<Vertex>(found - ranked.begin());
  return std::uint64_t{layout.pushed(Subgraph::dd).length(rank)} + layout.pushed(Subgraph::dn).length(rank);
}

Label Graph::largest_degree_vertex() const
{
  if (data_->is_in_parts()) return data_->label_at(data_->in_parts().largest_degree_vertex());
  auto const counts = neighbour_counts(data_->layout(), data_->layout().out, Team::of(data_->options.threads));
  auto const largest = std::max_element(counts.begin(), counts.end());
  return largest == counts.end() ? no_label : label(static_cast<Vertex>(largest - counts.begin()));
}

GraphSummary Graph::summary(int devices, std::optional<std::uint64_t> threshold) const
{
  require_whole(*data_);
  require_devices(devices);
  Team const team = Team::of(data_->options.threads);
  GraphSummary summary;
  auto const counts = neighbour_counts(data_->layout(), data_->layout().out, team);
  auto const in_counts = data_->layout().directed ? neighbour_counts(data_->layout(), data_->layout().in, team)
                                                  : std::vector<std::uint32_t>();
  std::vector<DegreeBucket> buckets(34);
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    buckets[i].from = i == 0 ? 0 : std::uint64_t{1} << (i - 1);
    buckets[i].to = i == 0 ? 0 : 2 * buckets[i].from - 1;
  }
  std::uint64_t sum = 0;
  for (Vertex v = 0; v < counts.size(); ++v) {
    auto& bucket = buckets[static_cast<std::size_t>(std::bit_width(counts[v]))];
    ++bucket.vertices;
    bucket.entries += counts[v];
    sum += counts[v];
    if (counts[v] == 0 && (in_counts.empty() || in_counts[v] == 0)) ++summary.isolated;
    if (counts[v] > summary.largest_degree || summary.largest_degree_vertex == no_label) {
      summary.largest_degree = counts[v];
      summary.largest_degree_vertex = label(v);
    }
  }
  summary.mean_degree = counts.empty() ? 0 : static_cast<double>(sum) / static_cast<double>(counts.size());
  std::copy_if(buckets.begin(), buckets.end(), std::back_inserter(summary.degrees),
               [](const DegreeBucket& bucket) { return bucket.vertices > 0; });
  for (const Component& component : find_components(*this).components) {
    ++summary.components;
    summary.largest_component = std::max(summary.largest_component, component.vertices);
  }
  if (data_->labels.size() > 0) {
    summary.smallest_label = data_->labels.first();
    summary.largest_label = data_->labels.largest();
  }
  // What the builder goes by: the tuples at each vertex, as far as they are kept.
  summary.suggested_threshold = data_->layout().directed
                                    ? choose_threshold(counts, in_counts, team)
                                    : choose_threshold(data_->layout().input_degrees.span(), {}, team);
  if (devices > 1) {
    auto& shared =
        summary.shared.emplace(summary_of_parts(data_->layout(), counts, in_counts, devices, threshold, team));
    shared.subgraph_bytes = subgraph_bytes_by_paper(facts(), shared.delegates, devices, shared.entries_nn);
  }
  return summary;
}

}  // namespace brushfire
