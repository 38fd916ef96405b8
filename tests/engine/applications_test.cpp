// Components, diameter and closeness against brute force: the oracle from every vertex of small graphs.
#include "battery.hpp"
#include "traverse/search_battery.hpp"
#include "validate/oracle.hpp"

#include <brushfire/applications.hpp>
#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace brushfire {
namespace {

using testing::build;
using testing::RandomShape;
using testing::SharedSource;

// Distances from every vertex, by Vertex.
std::vector<std::vector<std::int32_t>> all_distances(const EdgeSource& source, bool directed)
{
  Labels const labels = Labels::of_source(source, Team{1});
  std::vector<std::vector<std::int32_t>> distances;
  for (Vertex v = 0; v < labels.size(); ++v)
    distances.push_back(oracle_search(source, labels, labels.label(v), directed).levels);
  return distances;
}

std::vector<SharedSource> small_graphs()
{
  std::vector<SharedSource> graphs;
  for (auto const& graph : testing::battery())
    if (graph.source->facts().edges < 1000) graphs.push_back(graph.source);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    RandomShape shape;
    shape.vertices = 1 + seed * 13 % 90;
    shape.edges = 1 + seed * 17 % 150;
    shape.sparse_labels = seed % 3 == 0;
    shape.skewed = seed % 2 == 0;
    graphs.push_back(testing::random_graph(seed, shape));
  }
  // Whose ends no sweep finds: bounds that close in too early give a smaller diameter.
  std::vector<Edge> const hidden_ends{{0, 1}, {0, 8}, {1, 2},  {2, 3},  {2, 5},  {3, 4},   {3, 6},  {5, 7},
                                      {5, 8}, {6, 9}, {7, 10}, {7, 12}, {9, 11}, {11, 12}, {12, 13}};
  graphs.push_back(testing::make_source("hidden ends", 14, hidden_ends));
  return graphs;
}

TEST(Applications, ComponentsAreWhatReachesEachOther)
{
  for (const SharedSource& source : small_graphs()) {
    SCOPED_TRACE(source->facts().name);
    auto const distances = all_distances(*source, false);
    for (bool const directed : {false, true}) {
      Graph const graph = build(source, directed, 2);
      Components const found = find_components(graph);
      ASSERT_EQ(found.of.size(), distances.size());
      std::map<Label, std::uint64_t> sizes;
      for (Vertex v = 0; v < found.of.size(); ++v) {
        auto const first =
            std::find_if(distances[v].begin(), distances[v].end(), [](auto d) { return d != unreached; });
        ASSERT_EQ(found.of[v], static_cast<Vertex>(first - distances[v].begin()));
        ++sizes[graph.label(found.of[v])];
      }
      ASSERT_EQ(found.components.size(), sizes.size());
      for (std::size_t i = 0; i < found.components.size(); ++i) {
        EXPECT_EQ(found.components[i].vertices, sizes[found.components[i].name]);
        if (i > 0) {
          EXPECT_GE(found.components[i - 1].vertices, found.components[i].vertices);
        }
      }
      EXPECT_EQ(graph.summary().components, sizes.size());
    }
  }
}

TEST(Applications, DiametersAreTheLargestDistances)
{
  for (const SharedSource& source : small_graphs()) {
    SCOPED_TRACE(source->facts().name);
    auto const distances = all_distances(*source, false);
    Graph const graph = build(source, false, std::nullopt);
    for (Vertex v = 0; v < distances.size(); v += 17) {
      std::int32_t largest = 0;
      for (Vertex u = 0; u < distances.size(); ++u)
        if (distances[v][u] != unreached) largest = std::max(largest, *std::ranges::max_element(distances[u]));
      DiameterOptions options{.component_of = graph.label(v), .threads = 2, .device = Device::cpu};
      DiameterBounds const exact = bound_diameter(graph, options);
      EXPECT_EQ(exact.lower, largest);
      EXPECT_EQ(exact.upper, largest);
      EXPECT_EQ(distances[*graph.find(exact.from)][*graph.find(exact.to)], largest);
      options.most_searches = 1;  // what the sweeps know
      DiameterBounds const bounds = bound_diameter(graph, options);
      EXPECT_LE(bounds.lower, largest);
      EXPECT_GE(bounds.upper, largest);
      EXPECT_EQ(distances[*graph.find(bounds.from)][*graph.find(bounds.to)], bounds.lower);
    }
  }
}

TEST(Applications, ClosenessAddsUpDistances)
{
  for (const SharedSource& source : small_graphs()) {
    SCOPED_TRACE(source->facts().name);
    for (bool const directed : {false, true}) {
      auto const distances = all_distances(*source, directed);
      Graph const graph = build(source, directed, std::nullopt);
      std::vector<Label> vertices;
      for (Vertex v = 0; v < distances.size(); ++v) vertices.push_back(graph.label(v));
      auto const sample = measure_closeness(graph, vertices, {.threads = 2, .device = Device::cpu});
      for (Vertex v = 0; v < distances.size(); ++v) {
        double sum = 0, harmonic = 0, others = 0;
        for (std::int32_t const distance : distances[v]) {
          if (distance <= 0) continue;
          sum += distance;
          harmonic += 1.0 / distance;
          ++others;
        }
        EXPECT_EQ(sample[v].vertex, vertices[v]);
        EXPECT_DOUBLE_EQ(static_cast<double>(sample[v].reached), others + 1);
        EXPECT_NEAR(sample[v].harmonic, harmonic, 1e-9);
        double const closeness = others == 0 ? 0 : others / sum * others / static_cast<double>(distances.size() - 1);
        EXPECT_NEAR(sample[v].closeness, closeness, 1e-12);
      }
    }
  }
}

TEST(Applications, RefuseWhatTheyCannotAnswer)
{
  auto const kind_of = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::failure;
  };
  SharedSource const source = testing::make_source("path", 5, testing::path_edges(5));
  Graph const whole = build(source, false, std::nullopt), shared = build(source, false, 2, Device::cpu, 2);
  std::vector<Label> const unknown{7};
  EXPECT_EQ(kind_of([&] { bound_diameter(build(source, true, std::nullopt)); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { bound_diameter(whole, {.component_of = 7}); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { bound_diameter(shared); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { find_components(shared); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { measure_closeness(whole, unknown, {.device = Device::cpu}); }), ErrorKind::usage);
}

}  // namespace
}  // namespace brushfire
