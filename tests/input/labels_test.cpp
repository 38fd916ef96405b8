#include "input/labels.hpp"

#include "files.hpp"
#include "input/stored_edges.hpp"

#include <random>
#include <vector>

namespace brushfire {
namespace {

using testing::expect_error;

StoredEdges source_of(std::vector<Edge> edges)
{
  std::vector<StoredPiece> pieces;
  pieces.emplace_back(edges);
  return StoredEdges({}, std::move(pieces));
}

// Both directions of the map, and labels that are not there.
void expect_labels(const Labels& labels, std::vector<Label> expected)
{
  std::sort(expected.begin(), expected.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  ASSERT_EQ(labels.size(), expected.size());
  EXPECT_EQ(labels.first(), expected.front());
  EXPECT_EQ(labels.largest(), expected.back());
  Vertex vertex = 0;
  for (Label const label : expected) {
    ASSERT_EQ(labels.label(vertex), label);
    ASSERT_EQ(labels.vertex(label), vertex);
    ASSERT_EQ(labels.find(label), vertex);
    for (Label const other : {label - 1, label == largest_label ? label : label + 1})
      ASSERT_EQ(labels.find(other).has_value(), std::binary_search(expected.begin(), expected.end(), other)) << other;
    ++vertex;
  }
}

TEST(Labels, OfNothing)
{
  for (Labels const& labels : {Labels(), Labels::of_range({5, 0}), Labels::of_table({})}) {
    EXPECT_EQ(labels.size(), 0U);
    EXPECT_EQ(labels.first(), 0);
    EXPECT_EQ(labels.largest(), -1);
    EXPECT_FALSE(labels.find(0).has_value());
  }
}

TEST(Labels, DeclaredRangeWinsOverWhatOccurs)
{
  EdgeFacts facts;
  facts.declared = LabelRange{1, 10};
  std::vector<StoredPiece> pieces;
  pieces.emplace_back(std::vector<Edge>{{3, 4}});
  Labels const labels = Labels::of_source(StoredEdges(facts, std::move(pieces)), Team{2});
  EXPECT_TRUE(labels.consecutive());
  EXPECT_EQ(labels.bytes(), 0U);
  expect_labels(labels, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

TEST(Labels, RunOfIntegersNeedsNoTable)
{
  Labels const labels = Labels::of_source(source_of({{102, 100}, {101, 103}, {100, 100}}), Team{2});
  EXPECT_TRUE(labels.consecutive());
  EXPECT_EQ(labels.bytes(), 0U);
  expect_labels(labels, {100, 101, 102, 103});
}

TEST(Labels, WithGaps)
{
  Labels const labels = Labels::of_source(source_of({{7, 1000}, {64, 63}, {1000, 65}}), Team{2});
  EXPECT_FALSE(labels.consecutive());
  expect_labels(labels, {7, 63, 64, 65, 1000});
}

TEST(Labels, AnywhereIn63Bits)
{
  Labels const labels = Labels::of_source(source_of({{largest_label, 0}, {1LL << 40, (1LL << 40) + 1}}), Team{2});
  expect_labels(labels, {0, 1LL << 40, (1LL << 40) + 1, largest_label});
  Label const far = 1LL << 62;  // three neighbours at the very end share the last slot
  expect_labels(Labels::of_source(source_of({{0, far}, {far + 2, far + 1}}), Team{2}), {0, far, far + 1, far + 2});
}

// Enough tuples for many runs and slots; dense clusters far apart make crowded slots.
TEST(Labels, ManySparseOnes)
{
  std::mt19937_64 random(7);
  std::vector<Label> expected;
  std::vector<Edge> edges(1'100'000);
  auto const draw = [&] {
    std::uint64_t const bits = random();
    Label const cluster = static_cast<Label>(bits % 50) << 56;
    auto const label =
        static_cast<Label>(bits % 3 == 0 ? bits >> 1 : static_cast<std::uint64_t>(cluster) + (bits >> 44));
    expected.push_back(label);
    return label;
  };
  for (Edge& edge : edges) edge.source = draw(), edge.target = draw();
  for (int const threads : {1, 3}) expect_labels(Labels::of_source(source_of(edges), Team{threads}), expected);
}

TEST(Labels, ManyWithGaps)
{
  std::mt19937_64 random(8);
  std::vector<Label> expected;
  std::vector<Edge> edges(200'000);
  for (Edge& edge : edges)
    for (Label* end : {&edge.source, &edge.target})
      expected.push_back(*end = 1000 + static_cast<Label>(random() % 5'000'000));
  for (int const threads : {1, 3}) expect_labels(Labels::of_source(source_of(edges), Team{threads}), expected);
}

TEST(Labels, OfTable)
{
  Buffer<Label> table(3);
  table[0] = 2, table[1] = 50, table[2] = 1LL << 50;
  expect_labels(Labels::of_table(Section<Label>(std::move(table))), {2, 50, 1LL << 50});
}

// An altered file: indices may be wrong but must stay inside.
TEST(Labels, OfTableThatDoesNotRise)
{
  std::mt19937_64 random(9);
  for (int round = 0; round < 200; ++round) {
    Buffer<Label> table(1 + random() % 40);
    for (Label& label : table.span()) label = static_cast<Label>(round % 2 == 0 ? random() : random() % 64);
    std::vector<Label> asked(table.data(), table.data() + table.size());
    Labels const labels = Labels::of_table(Section<Label>(std::move(table)));
    for (int i = 0; i < 50; ++i) asked.push_back(static_cast<Label>(random() % 64));
    asked.push_back(largest_label);
    for (Label const label : asked) {
      EXPECT_LT(labels.vertex(label), labels.size());
      if (auto const vertex = labels.find(label)) {
        EXPECT_EQ(labels.label(*vertex), label);
      }
    }
  }
}

TEST(Labels, MoreThanOneProcessCanNumber)
{
  EXPECT_EQ(Labels::of_range({0, no_vertex - 1}).size(), no_vertex - 1);
  expect_error(ErrorKind::memory, "4294967295 vertices", [] { Labels::of_range({0, no_vertex}); });
  expect_error(ErrorKind::memory, "vertices", [] { Labels::of_range({1, 1ULL << 60}); });
}

}  // namespace
}  // namespace brushfire
