// The graphs of the battery, each a few lines of tuples. Sizes straddle 64 and 8192 where it costs nothing: the
// bits of a word and the tuples of a block are where off-by-one errors live.
#include "battery.hpp"

#include "input/generator.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <random>
#include <set>

namespace brushfire::testing {

namespace {

Label label(std::uint64_t value) { return static_cast<Label>(value); }

std::vector<Edge> star_edges(Label center, std::uint64_t vertices)
{
  std::vector<Edge> edges;
  for (Label leaf = 0; leaf < label(vertices); ++leaf)
    if (leaf != center) edges.push_back({leaf, center});
  return edges;
}

std::vector<Edge> grid_edges(Label rows, Label columns)
{
  std::vector<Edge> edges;
  for (Label row = 0; row < rows; ++row) {
    for (Label column = 0; column < columns; ++column) {
      Label const here = row * columns + column;
      if (column + 1 < columns) edges.push_back({here, here + 1});
      if (row + 1 < rows) edges.push_back({here + columns, here});
    }
  }
  return edges;
}

std::vector<Edge> complete_edges(Label first, Label last)
{
  std::vector<Edge> edges;
  for (Label u = first; u < last; ++u)
    for (Label v = u + 1; v < last; ++v) edges.push_back({u, v});
  return edges;
}

std::vector<Edge> tree_edges(std::uint64_t vertices)
{
  std::vector<Edge> edges;
  for (Label child = 1; child < label(vertices); ++child) edges.push_back({(child - 1) / 2, child});
  return edges;
}

std::vector<Edge> joined(std::vector<Edge> edges, const std::vector<Edge>& more)
{
  edges.insert(edges.end(), more.begin(), more.end());
  return edges;
}

template <typename Relabel>
std::vector<Edge> relabelled(std::vector<Edge> edges, Relabel&& relabel)
{
  for (Edge& edge : edges) edge = {relabel(edge.source), relabel(edge.target)};
  return edges;
}

// Far apart, up to the largest label there may be, and in the order of the small labels they replace.
Label spread(Label small, std::uint64_t vertices)
{
  return largest_label - (label(vertices) - 1 - small) * (largest_label / label(vertices));
}

std::vector<Edge> random_edges(std::uint64_t seed, const RandomShape& shape)
{
  std::mt19937_64 random(seed);
  auto const end = [&] {
    // The product of two uniform numbers in [0, 1) crowds towards zero.
    std::uint64_t const first = random() % shape.vertices;
    return label(shape.skewed ? first * (random() % shape.vertices) / shape.vertices : first);
  };
  std::vector<Edge> edges;
  for (std::uint64_t i = 0; i < shape.edges; ++i) {
    Label const source = end();
    edges.push_back({source, end()});
  }
  return edges;
}

std::vector<SharedSource> make_sources()
{
  auto const path = path_edges(100);
  auto const tail_shape = RandomShape{.vertices = 60, .edges = 150};
  auto const hub = joined(star_edges(0, 1500), random_edges(7, {.vertices = 1500, .edges = 9000, .skewed = true}));
  auto const path_through_hub =
      joined(path_edges(301), relabelled(star_edges(0, 61), [](Label v) { return v == 0 ? 150 : 300 + v; }));

  std::vector<SharedSource> sources{
      make_source("isolated", 70, {}),
      make_source("one vertex", 1, {}),
      make_source("self-loop", 1, {{0, 0}}),
      make_source("self-loops", {{0, 0}, {1, 1}, {1, 1}, {1, 2}, {2, 2}}),
      make_source("duplicates", {{0, 1}, {1, 0}, {0, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 2}, {0, 1}}),
      make_source("one edge", {{0, 1}}),
      make_source("path", 100, path),
      make_source("star", 200, star_edges(3, 200)),
      make_source("cycle", 65, joined(path_edges(65), {{64, 0}})),
      make_source("two components", 80, joined(grid_edges(4, 10), complete_edges(40, 80))),
      make_source("isolated tail", 500, random_edges(3, tail_shape)),
      make_source("isolated head", 500, relabelled(random_edges(3, tail_shape), [](Label v) { return v + 440; })),
      make_source("isolated middle", 3000,
                  joined(random_edges(5, tail_shape),
                         relabelled(random_edges(3, tail_shape), [](Label v) { return v + 2930; }))),
      make_source("skewed", 1500, hub),
      make_source("grid", 12 * 17, grid_edges(12, 17)),
      make_source("complete", 65, complete_edges(0, 65)),
      make_source("binary tree", 255, tree_edges(255)),
      make_source("path through a hub", 361, path_through_hub),
      make_source("hub over a path", 301, joined(path_edges(301), star_edges(150, 301))),
      // Few of many that a hub leads to go on: what they are judged by must not miss them.
      make_source("chain behind a leaf", 1028, joined(star_edges(0, 1025), {{6, 1025}, {1025, 1026}, {1026, 1027}})),
      make_source("one-based", relabelled(grid_edges(7, 9), [](Label v) { return v + 1; })),
      make_source("sparse path", relabelled(path, [](Label v) { return spread(v, 100); })),
      make_source("sparse skewed", relabelled(hub, [](Label v) { return spread(v, 1500); })),
      make_source("sparse few", {{0, largest_label}, {largest_label, largest_label - 1}, {5, 1LL << 40}, {5, 0}}),
      make_source_listed_twice("listed twice", 60, random_edges(11, tail_shape)),
      // Directed cases: searched along the arrows they reach less, or deeper, than searched both ways.
      make_source("against the arrows", 90, relabelled(path_edges(90), [](Label v) { return 89 - v; })),
      make_source("one-way cycle", 70, joined(path_edges(70), {{69, 0}, {40, 3}, {12, 60}})),
      make_source("into the hub", 120, joined(star_edges(60, 120), {{60, 5}, {5, 6}, {6, 60}})),
      make_source("layers", 40, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 0}, {3, 4}, {5, 4}, {4, 6}, {6, 5}, {7, 3}}),
  };
  for (auto spec : {"kron:6:8", "kron:10:16", "uniform:9:4"}) sources.push_back(open_generator(spec));
  return sources;
}

}  // namespace

ListSource::ListSource(EdgeFacts facts, std::vector<Edge> edges)
    : EdgeSource(std::move(facts)), edges_(std::move(edges))
{
  facts_.edges = edges_.size();
}

void ListSource::read(std::uint64_t first, std::span<Edge> out) const
{
  std::copy_n(edges_.begin() + label(first), out.size(), out.begin());
}

SharedSource make_source(std::string name, std::uint64_t vertices, std::vector<Edge> edges)
{
  return std::make_shared<ListSource>(EdgeFacts{.name = std::move(name), .declared = LabelRange{0, vertices}},
                                      std::move(edges));
}

SharedSource make_source(std::string name, std::vector<Edge> edges)
{
  return std::make_shared<ListSource>(EdgeFacts{.name = std::move(name), .declared = {}}, std::move(edges));
}

SharedSource make_source_listed_twice(std::string name, std::uint64_t vertices, std::vector<Edge> edges)
{
  std::vector<Edge> both;
  for (Edge const& edge : edges) {
    both.push_back(edge);
    both.push_back({edge.target, edge.source});
  }
  return std::make_shared<ListSource>(
      EdgeFacts{.name = std::move(name), .declared = LabelRange{0, vertices}, .listed_twice = true}, std::move(both));
}

std::vector<Edge> path_edges(std::uint64_t vertices)
{
  std::vector<Edge> edges;
  for (Label v = 0; v + 1 < label(vertices); ++v) edges.push_back({v, v + 1});
  return edges;
}

std::vector<Label> roots_of(const EdgeSource& source)
{
  std::vector<Edge> edges(source.facts().edges);
  source.read(0, edges);
  std::map<Label, std::uint64_t> tuples;  // by label
  if (auto const declared = source.facts().declared)
    for (std::uint64_t i = 0; i < declared->count; ++i) tuples[declared->first + label(i)] = 0;
  for (Edge const& edge : edges) {
    ++tuples[edge.source];
    ++tuples[edge.target];
  }
  if (tuples.empty()) return {};
  auto const busiest =
      std::max_element(tuples.begin(), tuples.end(), [](auto const& a, auto const& b) { return a.second < b.second; });
  auto const middle = std::next(tuples.begin(), static_cast<std::ptrdiff_t>(tuples.size() / 2));
  std::set<Label> const roots{tuples.begin()->first, middle->first, tuples.rbegin()->first, busiest->first};
  return {roots.begin(), roots.end()};
}

const std::vector<BatteryCase>& battery()
{
  static const std::vector<BatteryCase> cases = [] {
    std::vector<BatteryCase> made;
    for (auto& source : make_sources()) made.push_back({source->facts().name, source, roots_of(*source)});
    return made;
  }();
  return cases;
}

SharedSource random_graph(std::uint64_t seed, const RandomShape& shape)
{
  auto edges = random_edges(seed, shape);
  auto name = "random " + std::to_string(seed);
  if (!shape.sparse_labels) return make_source(std::move(name), shape.vertices, std::move(edges));
  return make_source(std::move(name), relabelled(std::move(edges), [&](Label v) { return spread(v, shape.vertices); }));
}

std::string test_name(const ::testing::TestParamInfo<BatteryCase>& info)
{
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace brushfire::testing
