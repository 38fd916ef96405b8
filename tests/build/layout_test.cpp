// The layout holds every edge once per direction, where DESIGN says, for every threshold and thread count.
#include "build/builder.hpp"
#include "build/degrees.hpp"
#include "build/layout_edges.hpp"
#include "build/rows.hpp"
#include "input/generator.hpp"
#include "input/labels.hpp"

#include "battery.hpp"

#include <brushfire/graph.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace brushfire {
namespace {

using Entries = std::set<std::pair<Label, Label>>;

Entries simple_edges(const EdgeSource& source, bool directed)
{
  std::vector<Edge> edges(source.facts().edges);
  source.read(0, edges);
  Entries entries;
  for (auto const& [from, to] : edges) {
    if (from == to) continue;
    entries.insert({from, to});
    if (!directed) entries.insert({to, from});
  }
  return entries;
}

// All entries of one direction, with their kind checked on the way.
Entries entries_of(const Layout& layout, const Adjacency& adjacency, const Labels& labels)
{
  Entries entries;
  std::uint64_t count = 0;
  for (Subgraph const kind : {Subgraph::dd, Subgraph::dn, Subgraph::nd, Subgraph::nn}) {
    bool const from_delegate = kind == Subgraph::dd || kind == Subgraph::dn;
    bool const to_delegate = kind == Subgraph::dd || kind == Subgraph::nd;
    SubgraphView const view = adjacency.view(kind, layout.delegates, layout.vertices);
    for (Vertex row = 0; row < (from_delegate ? layout.delegates : layout.vertices); ++row) {
      EntryRange const range = view.row(row);
      EXPECT_EQ(range.size(), view.length(row));
      Label const from = labels.label(from_delegate ? layout.delegate_vertices[row] : row);
      for (EdgeIndex e = range.first; e < range.last; ++e, ++count) {
        Vertex const target = view.target(e);
        EXPECT_TRUE(e == range.first || view.target(e - 1) < target) << "a list is not sorted or has duplicates";
        EXPECT_LT(target, to_delegate ? layout.delegates : layout.vertices);
        entries.insert({from, labels.label(to_delegate ? layout.delegate_vertices[target] : target)});
      }
    }
  }
  EXPECT_EQ(count, adjacency.targets.size());
  EXPECT_EQ(count, entries.size());
  return entries;
}

std::map<Label, std::uint64_t> input_degrees(const EdgeSource& source, bool directed)
{
  std::vector<Edge> edges(source.facts().edges);
  source.read(0, edges);
  std::map<Label, std::uint64_t> degrees;
  for (auto const& [from, to] : edges) {
    if (from == to) continue;
    ++degrees[from];
    if (!directed && !source.facts().listed_twice) ++degrees[to];
  }
  return degrees;
}

class LayoutOfBattery : public ::testing::TestWithParam<testing::BatteryCase> {};

TEST_P(LayoutOfBattery, HoldsEveryEdgeWhereItBelongs)
{
  const EdgeSource& source = *GetParam().source;
  Labels const labels = Labels::of_source(source, Team{2});
  for (bool const directed : {false, true})
    for (auto const threshold : std::vector<std::optional<std::uint64_t>>{{}, plain_threshold, 0, 2, 8})
      for (int const threads : {1, 3}) {
        Built const built = build_layout(source, labels, {directed, threshold}, Team{threads}, Progress::none());
        const Layout& layout = built.layout;
        Entries const expected = simple_edges(source, directed);
        EXPECT_EQ(entries_of(layout, layout.out, labels), expected);
        Entries reversed;
        for (auto const& [from, to] : expected) reversed.insert({to, from});
        EXPECT_EQ(entries_of(layout, layout.in, labels), reversed);

        auto const degrees = input_degrees(source, directed);
        for (Vertex v = 0; v < layout.vertices; ++v) {
          auto const found = degrees.find(labels.label(v));
          EXPECT_EQ(layout.input_degrees[v], found == degrees.end() ? 0 : found->second);
        }
        if (threshold == plain_threshold) {
          EXPECT_EQ(layout.delegates, 0u);
        }
        if (!directed && threshold && *threshold != plain_threshold) {
          std::uint64_t above = 0;
          for (auto const& [label, degree] : degrees) above += degree > *threshold;
          EXPECT_EQ(layout.delegates, above);
          for (Vertex rank = 1; rank < layout.delegates; ++rank)
            EXPECT_GE(layout.input_degrees[layout.delegate_vertices[rank - 1]],
                      layout.input_degrees[layout.delegate_vertices[rank]]);
        }
      }
}

TEST_P(LayoutOfBattery, CanBeReadBackAsTuplesAndAsLists)
{
  const EdgeSource& source = *GetParam().source;
  Labels const labels = Labels::of_source(source, Team{1});
  for (bool const directed : {false, true})
    for (std::uint64_t const threshold : {plain_threshold, std::uint64_t{2}}) {
      Built const built = build_layout(source, labels, {directed, threshold}, Team{1}, Progress::none());
      Entries const expected = simple_edges(source, directed);
      LayoutEdges const tuples("again", built.layout, labels);
      ASSERT_EQ(tuples.facts().edges, expected.size());
      Entries read;
      for (std::uint64_t i = 0; i < tuples.facts().edges; i += 3) {
        std::vector<Edge> piece(std::min<std::uint64_t>(3, tuples.facts().edges - i));
        tuples.read(i, piece);
        for (auto const& [from, to] : piece) read.insert({from, to});
      }
      EXPECT_EQ(read, expected);

      LayoutListing const listing(built.layout, labels);
      Entries listed;
      std::vector<Vertex> neighbours;
      for (Vertex v = 0; v < labels.size(); ++v) {
        listing.neighbours(v, neighbours);
        EXPECT_TRUE(std::is_sorted(neighbours.begin(), neighbours.end()));
        for (Vertex const u : neighbours) listed.insert({labels.label(v), labels.label(u)});
      }
      EXPECT_EQ(listed, expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Battery, LayoutOfBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

TEST(Threshold, SeparatesHubsAndLeavesFlatGraphsPlain)
{
  auto const chosen = [](std::string_view spec) {
    auto const source = open_generator(spec);
    Labels const labels = Labels::of_source(*source, Team{1});
    Degrees const degrees = count_degrees(*source, labels, false, Team{2}, Progress::none());
    return choose_threshold(degrees.out.span(), {}, Team{2});
  };
  EXPECT_NE(chosen("kron:14"), plain_threshold);
  EXPECT_NE(chosen("star:1000"), plain_threshold);
  EXPECT_EQ(chosen("grid:50x50"), plain_threshold);
  EXPECT_EQ(chosen("uniform:12"), plain_threshold);
  EXPECT_EQ(chosen("path:1"), plain_threshold);
}

TEST(Threshold, IsOfTheBinThatHoldsADegree)
{
  for (std::uint64_t const degree : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4095}, std::uint64_t{4096},
                                     std::uint64_t{4111}, std::uint64_t{4112}, std::uint64_t{8191}, std::uint64_t{8192},
                                     std::uint64_t{5791}, (std::uint64_t{1} << 32) - 1, (std::uint64_t{1} << 33) - 2}) {
    std::size_t const bin = DegreeHistogram::bin_of(degree);
    ASSERT_LT(bin, DegreeHistogram::size) << degree;
    EXPECT_LE(DegreeHistogram::first_degree_of(bin), degree);
    EXPECT_GT(DegreeHistogram::first_degree_of(bin + 1), degree);
  }
}

// A hundredth of the vertices has a degree of 5000, as many 9000: hubs that hundreds of devices can hold a part of
// only.
TEST(Threshold, PassesTheLastPlaceWhereDevicesHoldFewDelegates)
{
  std::vector<std::uint32_t> degrees(10000, 8);
  std::fill_n(degrees.begin(), 100, 5000);
  std::fill_n(degrees.begin() + 100, 100, 9000);
  DegreeHistogram const histogram = histogram_of(degrees, {}, Team{2});
  auto const delegates = [&](int devices) {
    std::uint64_t const threshold = choose_threshold_of_parts(histogram, devices);
    return std::count_if(degrees.begin(), degrees.end(), [&](std::uint32_t degree) { return degree > threshold; });
  };
  EXPECT_EQ(choose_threshold_of_parts(histogram, 8), 8);
  EXPECT_EQ(delegates(200), 200);
  EXPECT_EQ(delegates(201), 100);
  EXPECT_EQ(delegates(400), 100);
  EXPECT_EQ(delegates(401), 0);
}

TEST(Rows, SortByRadixAndByComparisonAlike)
{
  std::mt19937 random(1);
  for (std::size_t const size : {0, 1, 2, 100, 511, 512, 5000})
    for (int const bits : {1, 8, 9, 23, 32}) {
      std::vector<Vertex> values(size), scratch(size);
      for (auto& value : values) value = static_cast<Vertex>(random() >> (32 - bits));
      auto expected = values;
      std::sort(expected.begin(), expected.end());
      sort_row<Vertex>(values, scratch, bits);
      EXPECT_EQ(values, expected) << size << ' ' << bits;
    }
}

TEST(Rows, PositionsPassFourBillion)
{
  std::uint64_t const base = 0x1'ffff'fff0;  // a block of rows that straddles a multiple of 2^32
  EXPECT_EQ(position_of(0xffff'fff0, base), base);
  EXPECT_EQ(position_of(0x0000'0004, base), 0x2'0000'0004u);
  std::uint32_t const starts[3] = {0xffff'fff0, 0x0000'0004, 0x0000'0009};
  SubgraphView const view{starts, starts + 1, &base, nullptr, 0, std::uint64_t{1} << 40, ~Vertex{0}};
  EXPECT_EQ(view.row(0).first, base);
  EXPECT_EQ(view.row(0).last, 0x2'0000'0004u);
  EXPECT_EQ(view.row(1).last, 0x2'0000'0009u);
}

}  // namespace
}  // namespace brushfire
