// Bounds of a diameter by sweeps and by iFUB (Crescenzi, Grossi, Habib, Lanzi, Marino, 2013). With u near the middle
// and F(i) what lies i away from it: two vertices that are both nearer than i are at most 2(i - 1) apart. So once
// everything from F(i) on was searched from, the diameter is the largest distance met, or at most 2(i - 1).
#include "base/error.hpp"
#include "engine/graph_data.hpp"
#include "engine/stage_ranges.hpp"

#include <brushfire/applications.hpp>
#include <brushfire/batch_search.hpp>
#include <brushfire/graph.hpp>
#include <brushfire/search.hpp>

#include <algorithm>
#include <vector>

namespace brushfire {

namespace {

class Bounding {
 public:
  Bounding(const Graph& graph, const DiameterOptions& options, Progress& progress)
      : graph_(graph), options_(options), progress_(progress), search_(graph, search_options(options))
  {
  }

  DiameterBounds run(const Component& component)
  {
    bounds_.component = component;
    bounds_.from = bounds_.to = component.name;
    Label const middle = sweep(sweep(component.name));
    auto const levels = by_level(middle);
    close_in(levels);
    return bounds_;
  }

 private:
  static SearchOptions search_options(const DiameterOptions& options)
  {
    SearchOptions search;
    search.levels = true;
    search.threads = options.threads;
    search.device = options.device;
    return search;
  }

  void met(Label from, Label to, std::int64_t distance)
  {
    if (distance <= bounds_.lower) return;
    bounds_.lower = distance;
    bounds_.from = from;
    bounds_.to = to;
  }

  // The vertex farthest from `root`; the search is still there to be asked.
  Label farthest_from(Label root)
  {
    SearchResult const result = search_.run(root);
    ++bounds_.searches;
    progress_.advance(1);
    auto const deepest = std::max_element(result.levels.begin(), result.levels.end());
    Label const farthest = graph_.label(static_cast<Vertex>(deepest - result.levels.begin()));
    met(root, farthest, result.depth);
    return farthest;
  }

  // From the vertex farthest from `root` to the one farthest from that, and what lies halfway.
  Label sweep(Label root)
  {
    Label const other_end = farthest_from(farthest_from(root));
    auto const path = search_.path_to(other_end);
    return path[path.size() / 2];
  }

  // The vertices of the component by their distance from `middle`.
  std::vector<std::vector<Label>> by_level(Label middle)
  {
    SearchResult const result = search_.run(middle);
    ++bounds_.searches;
    std::vector<std::vector<Label>> levels(static_cast<std::size_t>(result.depth) + 1);
    for (Vertex v = 0; v < result.levels.size(); ++v)
      if (result.levels[v] != unreached) levels[static_cast<std::size_t>(result.levels[v])].push_back(graph_.label(v));
    bounds_.upper = 2 * result.depth;
    met(middle, levels.back().front(), result.depth);
    return levels;
  }

  void close_in(const std::vector<std::vector<Label>>& levels)
  {
    BatchSearch batch(graph_, {.threads = options_.threads, .device = options_.device});
    for (std::size_t i = levels.size(); i-- > 0 && bounds_.lower < bounds_.upper;) {
      auto const fringe = std::span(levels[i]);
      for (std::size_t first = 0; first < fringe.size() && bounds_.lower < bounds_.upper; first += sources_per_batch) {
        if (bounds_.searches >= options_.most_searches) return;
        std::uint64_t const left = options_.most_searches - bounds_.searches;
        search_from(batch,
                    fringe.subspan(first, std::min<std::uint64_t>({sources_per_batch, fringe.size() - first, left})));
      }
      auto const rest = static_cast<std::int64_t>(i == 0 ? 0 : 2 * (i - 1));
      bounds_.upper = std::max(bounds_.lower, std::min(bounds_.upper, rest));
    }
  }

  void search_from(BatchSearch& batch, std::span<const Label> sources)
  {
    BatchResult const result = batch.run(sources);
    bounds_.searches += sources.size();
    progress_.advance(sources.size());
    auto const deepest = std::max_element(result.sources.begin(), result.sources.end(),
                                          [](auto const& a, auto const& b) { return a.depth < b.depth; });
    if (deepest->depth > bounds_.lower) farthest_from(deepest->source);  // who is the other end?
  }

  const Graph& graph_;
  const DiameterOptions& options_;
  Progress& progress_;
  Search search_;
  DiameterBounds bounds_;
};

}  // namespace

DiameterBounds bound_diameter(const Graph& graph, const DiameterOptions& options, Progress& shown)
{
  StageRanges progress(shown);
  const GraphData& data = graph.data();
  if (data.facts.directed)
    fail(ErrorKind::usage,
         "{} is directed, and the diameter is that of an undirected graph; write it as an edge list "
         "first",
         data.facts.name);
  if (data.facts.vertices == 0) fail(ErrorKind::usage, "{} has no vertices, so no diameter", data.facts.name);
  Components const found = find_components(graph);
  Component component = found.components.front();
  if (options.component_of) {
    Vertex const first = found.of[require_vertex(graph, *options.component_of, "vertex")];
    auto const is_it = [&](const Component& other) { return other.name == graph.label(first); };
    component = *std::find_if(found.components.begin(), found.components.end(), is_it);
  }
  progress.begin("bounding", 0, "searches");
  DiameterBounds const bounds = Bounding(graph, options, progress).run(component);
  progress.end();
  return bounds;
}

}  // namespace brushfire
