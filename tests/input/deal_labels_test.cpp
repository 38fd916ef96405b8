#include "input/deal_labels.hpp"

#include "dealt_graphs.hpp"

#include <brushfire/error.hpp>

namespace brushfire {
namespace {

using testing::dealt;
using testing::expect_dealt;
using testing::make_source;

constexpr int device_counts[] = {1, 2, 3, 7};
constexpr std::uint64_t plenty = 1 << 20;

TEST(DealLabels, OverTheBattery)
{
  for (auto const& graph : testing::battery())
    for (int const devices : device_counts) {
      SCOPED_TRACE(graph.name + " on " + std::to_string(devices));
      auto const graphs = dealt(*graph.source, devices, 100);
      if (graph.source->facts().declared) {
        for (auto const& part : graphs) {
          EXPECT_EQ(part.tuples, nullptr);
          EXPECT_EQ(part.labels.total(), graph.source->facts().declared->count);
        }
        continue;
      }
      expect_dealt(*graph.source, devices, graphs);
    }
}

TEST(DealLabels, OfRandomGraphs)
{
  for (std::uint64_t seed = 0; seed < 3; ++seed)
    for (int const devices : device_counts)
      for (std::uint64_t const tuples_per_block : {7ULL, 64ULL, 1ULL << 20}) {
        SCOPED_TRACE(std::to_string(seed) + " on " + std::to_string(devices));
        auto const source = testing::random_graph(seed, {.vertices = 80, .edges = 100, .sparse_labels = true});
        auto const graphs = dealt(*source, devices, tuples_per_block);
        expect_dealt(*source, devices, graphs);
        for (auto const& graph : graphs) EXPECT_NE(graph.tuples, nullptr);
      }
}

TEST(DealLabels, ConsecutiveLabelsNeedNoTable)
{
  auto const source = make_source("consecutive", {{7, 9}, {10, 8}, {9, 9}, {11, 7}});
  auto const gap = make_source("gap", {{7, 9}, {10, 8}, {9, 9}, {12, 7}});
  for (int const devices : device_counts) {
    auto const graphs = dealt(*source, devices, plenty);
    expect_dealt(*source, devices, graphs);
    for (auto const& graph : graphs) {
      EXPECT_EQ(graph.tuples, nullptr);
      EXPECT_FALSE(graph.labels.knows_only_own());
    }
    for (auto const& graph : dealt(*gap, devices, plenty)) EXPECT_TRUE(graph.labels.knows_only_own());
  }
}

TEST(DealLabels, TheExtremesAndNothing)
{
  auto const one = make_source("one", {{largest_label, largest_label}});
  auto const far = make_source("far", {{0, largest_label}});
  auto const none = make_source("none", {});
  for (int const devices : device_counts)
    for (auto const& source : {one, far, none}) expect_dealt(*source, devices, dealt(*source, devices, plenty));
}

TEST(DealLabels, WhatIsNotThereIsNotFound)
{
  auto const source = make_source("sparse", {{10, 20}, {30, 1000}});
  for (auto const& graph : dealt(*source, 3, plenty))
    for (Label const label : {0, 11, 999, 2000}) EXPECT_FALSE(graph.labels.find(label).has_value());
}

// A fair share for everybody, however the labels lie: anywhere, or all multiples of a power of two.
TEST(DealLabels, FairlyAndPacked)
{
  constexpr int devices = 7;
  auto const scattered = testing::random_graph(5, {.vertices = 20'000, .edges = 40'000, .sparse_labels = true});
  std::vector<Edge> multiples;
  for (Label i = 0; i < 20'000; ++i) multiples.push_back({i << 20, (i + 1) << 20});
  for (auto const& source : {scattered, make_source("multiples", multiples)}) {
    auto const graphs = dealt(*source, devices, 1000);
    for (auto const& graph : graphs) {
      double const fair = static_cast<double>(graph.labels.total()) / devices;
      EXPECT_NEAR(graph.labels.size(), fair, 0.1 * fair) << source->facts().name;
      EXPECT_EQ(graph.tuples->facts().bytes_held, 8 * graph.tuples->facts().edges);
    }
  }
}

// Devices that have no tuples take part all the same.
TEST(DealLabels, OneDeviceHasAllTuples)
{
  auto const source = testing::random_graph(9, {.vertices = 50, .edges = 90, .sparse_labels = true});
  std::vector<DealtGraph> graphs(3);
  DeviceGroup group(3, 1);
  group.run([&](int device, Exchange& exchange) {
    EdgeRange const range{0, device == 1 ? source->facts().edges : 0};
    graphs[static_cast<std::size_t>(device)] = deal_labels(*source, range, exchange, Team{1}, 10);
  });
  EXPECT_EQ(graphs[0].tuples->facts().edges, 0U);
  EXPECT_EQ(graphs[1].tuples->facts().edges, 90U);
  for (int device = 0; device < 3; ++device) {
    auto const& labels = graphs[static_cast<std::size_t>(device)].labels;
    EXPECT_GT(labels.size(), 0U);
    EXPECT_EQ(labels.total(), graphs[0].labels.size() + graphs[1].labels.size() + graphs[2].labels.size());
  }
}

TEST(DealLabels, MoreThanADeviceCanNumberIsRefusedByAll)
{
  for (int device = 0; device < 2; ++device) {
    try {
      DealtLabels::of_own_table({}, {0, 1ULL << 32}, device);
      FAIL();
    } catch (Error const& error) {
      EXPECT_EQ(error.kind(), ErrorKind::memory);
    }
  }
}

}  // namespace
}  // namespace brushfire
