// The labels of a whole graph dealt to devices of one process, and everything that must hold for them.
#pragma once

#include "battery.hpp"
#include "exchange/device_group.hpp"
#include "input/deal_labels.hpp"
#include "input/file_share.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace brushfire::testing {

inline EdgeRange part_of(const EdgeSource& source, int device, int devices)
{
  auto const [first, last] = Share{device, devices}.of(source.facts().edges);
  return {first, last - first};
}

inline std::vector<DealtGraph> dealt(const EdgeSource& source, int devices, std::uint64_t tuples_per_block)
{
  std::vector<DealtGraph> graphs(static_cast<std::size_t>(devices));
  DeviceGroup group(devices, 1);
  group.run([&](int device, Exchange& exchange) {
    graphs[static_cast<std::size_t>(device)] =
        deal_labels(source, part_of(source, device, devices), exchange, Team{2}, tuples_per_block);
  });
  return graphs;
}

inline std::vector<Edge> edges_in(const EdgeSource& source, EdgeRange range)
{
  std::vector<Edge> edges(range.count);
  source.read(range.first, edges);
  return edges;
}

// The labels that occur are dealt out, each to one device, and every index leads back to its label.
inline void expect_dealt(const EdgeSource& source, int devices, const std::vector<DealtGraph>& graphs)
{
  std::set<Label> occurring;
  for (Edge const& edge : edges_in(source, {0, source.facts().edges})) occurring.insert({edge.source, edge.target});

  std::map<std::uint64_t, Label> label_of_index;
  std::set<Label> seen;
  for (int device = 0; device < devices; ++device) {
    DealtLabels const& labels = graphs[static_cast<std::size_t>(device)].labels;
    ASSERT_EQ(labels.device(), device);
    ASSERT_EQ(labels.devices(), devices);
    EXPECT_EQ(labels.total(), occurring.size());
    for (int other = 0; other < devices; ++other)
      EXPECT_EQ(labels.size_of(other), graphs[static_cast<std::size_t>(other)].labels.size());
    auto const view = labels.view().of(device);
    for (Vertex own = 0; own < labels.size(); ++own) {
      Label const label = labels.label(own);
      EXPECT_TRUE(seen.insert(label).second) << label << " has two owners";
      EXPECT_TRUE(own == 0 || labels.label(own - 1) < label);
      EXPECT_EQ(labels.label_of(device, own), label);
      EXPECT_EQ(view(own), label);
      EXPECT_EQ(labels.number_of(label), own);
      std::uint64_t const index =
          std::uint64_t{own} * static_cast<std::uint64_t>(devices) + static_cast<std::uint64_t>(device);
      EXPECT_EQ(labels.find(label), index);
      EXPECT_EQ(labels.index_of(label), index);
      EXPECT_EQ(labels.label_at(index), label);
      for (auto const& graph : graphs) EXPECT_EQ(graph.labels.device_of(label), device);
      label_of_index[index] = label;
    }
  }
  EXPECT_EQ(seen, occurring);

  for (int device = 0; device < devices; ++device) {
    auto const& tuples = graphs[static_cast<std::size_t>(device)].tuples;
    if (tuples == nullptr) continue;
    auto const expected = edges_in(source, part_of(source, device, devices));
    ASSERT_EQ(tuples->facts().edges, expected.size());
    auto const edges = edges_in(*tuples, {0, expected.size()});
    for (std::size_t at = 0; at < edges.size(); ++at) {
      EXPECT_EQ(label_of_index.at(static_cast<std::uint64_t>(edges[at].source)), expected[at].source);
      EXPECT_EQ(label_of_index.at(static_cast<std::uint64_t>(edges[at].target)), expected[at].target);
    }
    EXPECT_EQ(tuples->facts().name, source.facts().name);
    EXPECT_EQ(tuples->facts().listed_twice, source.facts().listed_twice);
    EXPECT_FALSE(tuples->facts().declared.has_value());
  }
}

}  // namespace brushfire::testing
