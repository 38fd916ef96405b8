// The graphs of the battery as a caller has them in memory: arrays of ends, and compressed rows.
#pragma once

#include "battery.hpp"

#include <brushfire/graph.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace brushfire::testing {

inline std::vector<Edge> tuples_of(const EdgeSource& source)
{
  std::vector<Edge> edges(source.facts().edges);
  source.read(0, edges);
  return edges;
}

// Nothing: its labels are those that occur. Only a range from 0 can be declared with arrays.
inline std::optional<std::uint64_t> declared_vertices(const EdgeSource& source)
{
  auto const& declared = source.facts().declared;
  return declared && declared->first == 0 ? std::optional(declared->count) : std::nullopt;
}

// The cases whose tuples are a list of edges, and of those the ones that rows can hold: of vertices 0 ... n-1.
inline std::vector<BatteryCase> battery_of_edges()
{
  auto cases = battery();
  std::erase_if(cases, [](const BatteryCase& graph) { return graph.source->facts().listed_twice; });
  return cases;
}
inline std::vector<BatteryCase> battery_of_rows()
{
  auto cases = battery_of_edges();
  std::erase_if(cases, [](const BatteryCase& graph) { return !declared_vertices(*graph.source); });
  return cases;
}

template <typename Integer>
struct CallersEdges {
  explicit CallersEdges(const EdgeSource& source) : vertices(declared_vertices(source))
  {
    for (Edge const& edge : tuples_of(source)) {
      sources.push_back(static_cast<Integer>(edge.source));
      targets.push_back(static_cast<Integer>(edge.target));
    }
  }
  EdgeArrays arrays() const { return {sources, targets, vertices}; }

  std::optional<std::uint64_t> vertices;
  std::vector<Integer> sources, targets;
};

// Row u has a target for each tuple (u, v), and with `both_ways` one at v too: once for a self-loop, as in a matrix.
template <typename Offset, typename Integer>
struct CallersRows {
  CallersRows(std::vector<Edge> edges, std::uint64_t vertices, bool both_ways)
  {
    if (both_ways)
      for (std::size_t at = 0, listed = edges.size(); at < listed; ++at)
        if (edges[at].source != edges[at].target) edges.push_back({edges[at].target, edges[at].source});
    std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.source < b.source; });
    offsets.resize(vertices + 1);
    for (Edge const& edge : edges) {
      ++offsets[static_cast<std::size_t>(edge.source) + 1];
      targets.push_back(static_cast<Integer>(edge.target));
    }
    for (std::size_t u = 0; u < vertices; ++u) offsets[u + 1] += offsets[u];
  }
  CsrArrays arrays() const { return {offsets, targets}; }

  std::vector<Offset> offsets;
  std::vector<Integer> targets;
};

}  // namespace brushfire::testing
