// The shared set of awkward graphs, as edge sources made in memory, and random ones for property tests.
// Every backend and every preset is searched over all of them. They are small: what is tested is shape,
// and a test multiplies them by roots, options and thread counts.
#pragma once

#include "input/edge_source.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace brushfire::testing {

// Tuples in a vector.
class ListSource : public EdgeSource {
 public:
  ListSource(EdgeFacts facts, std::vector<Edge> edges);
  void read(std::uint64_t first, std::span<Edge> out) const override;

 private:
  std::vector<Edge> edges_;
};

using SharedSource = std::shared_ptr<const EdgeSource>;

// Vertices 0 ... vertices-1, whether or not an edge names them.
SharedSource make_source(std::string name, std::uint64_t vertices, std::vector<Edge> edges);
// The vertices are the labels that occur.
SharedSource make_source(std::string name, std::vector<Edge> edges);
// Both (u,v) and (v,u) for each edge given, as adjacency formats list them.
SharedSource make_source_listed_twice(std::string name, std::uint64_t vertices, std::vector<Edge> edges);

std::vector<Edge> path_edges(std::uint64_t vertices);  // 0 - 1 - 2 - ...

// Roots worth trying: the smallest, the middle and the largest label, and the one that most tuples name.
std::vector<Label> roots_of(const EdgeSource& source);

struct BatteryCase {
  std::string name;
  SharedSource source;
  std::vector<Label> roots;
};
inline void PrintTo(const BatteryCase& graph, std::ostream* out) { *out << graph.name; }

const std::vector<BatteryCase>& battery();

// The case's name as GoogleTest accepts it.
std::string test_name(const ::testing::TestParamInfo<BatteryCase>& info);

struct RandomShape {
  std::uint64_t vertices = 100;  // at least one
  std::uint64_t edges = 200;
  bool sparse_labels = false;  // labels anywhere up to 2^63-1; otherwise 0 ... vertices-1, all declared
  bool skewed = false;         // ends drawn with a strong preference for small vertices
};
// Uniform tuples: self-loops and duplicates happen. The same seed and shape give the same graph everywhere.
SharedSource random_graph(std::uint64_t seed, const RandomShape& shape);

}  // namespace brushfire::testing
