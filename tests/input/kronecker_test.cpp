// Bit for bit what the Graph500 reference generates.
#include "input/kronecker.hpp"

#include "base/parallel.hpp"
#include "input/packed_edges.hpp"

#include <brushfire/error.hpp>
#include <brushfire/progress.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

namespace brushfire {
namespace {

std::vector<Edge> edges_of(const EdgeSource& source, std::uint64_t first, std::uint64_t count)
{
  std::vector<Edge> edges(count);
  source.read(first, edges);
  return edges;
}

// The definition, one number at a time: what the vector code must agree with.
std::vector<Edge> by_definition(const KroneckerEdges& source, std::uint64_t first, std::uint64_t count)
{
  std::vector<Edge> edges;
  for (std::uint64_t i = first; i < first + count; ++i) {
    Graph500Random random(2, 3);
    random.skip(0, i, 0);
    std::uint64_t ends[2] = {0, 0};
    for (int level = 0; level < source.scale(); ++level) {
      std::uint32_t r = random.next();
      while (r < 3647) r = random.next();
      std::uint32_t const v = r % 10000;
      unsigned bits[2] = {0, 0};
      if (v < 1900)
        bits[1] = 1;
      else if (v < 3800)
        bits[0] = 1;
      else if (v >= 9500)
        bits[0] = bits[1] = 1;
      if (ends[0] == ends[1] && bits[0] > bits[1]) std::swap(bits[0], bits[1]);
      for (int end = 0; end < 2; ++end) ends[end] = 2 * ends[end] + bits[end];
    }
    edges.push_back({source.scramble(ends[0]), source.scramble(ends[1])});
  }
  return edges;
}

TEST(Kronecker, ReproducesTheReferencesFirstEdges)
{
  EXPECT_EQ(edges_of(KroneckerEdges(10, 16), 0, 4),
            (std::vector<Edge>{{299, 797}, {684, 861}, {185, 385}, {428, 328}}));
  EXPECT_EQ(edges_of(KroneckerEdges(20, 16), 0, 4),
            (std::vector<Edge>{{754405, 286754}, {802479, 384927}, {737253, 940441}, {991768, 448150}}));
}

TEST(Kronecker, ReproducesTheReferencesRootCandidates)
{
  Graph500Roots roots(1 << 20);
  for (Label const expected : {469580, 219786, 225712, 129031}) EXPECT_EQ(roots.next(), expected);
}

TEST(Kronecker, GivesUpAfterTwiceAsManyCandidatesAsVertices)
{
  Graph500Roots roots(4);
  int drawn = 0;
  for (; !roots.exhausted(); ++drawn) roots.next();
  EXPECT_EQ(drawn, 5);  // the counter moves by two and must pass 8
}

TEST(Kronecker, AnyRangeAgreesWithTheDefinition)
{
  KroneckerEdges const source(17, 16);
  for (auto const& [first, count] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 1}, {1, 7}, {3, 9}, {1000, 64}, {123457, 33}, {source.facts().edges - 5, 5}})
    EXPECT_EQ(edges_of(source, first, count), by_definition(source, first, count)) << first;
}

TEST(Kronecker, VectorsOfEveryWidthAgreeWithTheDefinition)
{
  for (KroneckerLanes const& kernel : usable_kronecker_lanes())
    for (int const scale : {1, 3, 22, 31, 32, 33, 40, 55}) {
      KroneckerEdges const source(scale, 16);
      std::uint64_t const count = std::min<std::uint64_t>(source.facts().edges, 501);
      for (std::uint64_t const first : {std::uint64_t{0}, source.facts().edges - count}) {
        std::vector<Edge> edges(count);
        source.read_in_lanes(kernel, first, edges);
        EXPECT_EQ(edges, by_definition(source, first, count)) << kernel.lanes << " lanes, scale " << scale;
      }
    }
}

TEST(Kronecker, VectorsOfEveryWidthAgreeOverManyRedraws)
{
  KroneckerEdges const source(20, 16);
  std::vector<Edge> const expected = edges_of(source, 0, 1 << 20);
  for (KroneckerLanes const& kernel : usable_kronecker_lanes()) {
    std::vector<Edge> edges(expected.size());
    source.read_in_lanes(kernel, 0, edges);
    EXPECT_EQ(edges, expected) << kernel.lanes << " lanes";
  }
}

TEST(Kronecker, EdgesThatNeedARedrawAgreeWithTheDefinition)
{
  // At 20 levels an edge one in 30,000 redraws; find the first of them, so that the test cannot miss them.
  KroneckerEdges const source(20, 16);
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; found < 3; ++i) {
    Graph500Random random(2, 3);
    random.skip(0, i, 0);
    bool redraws = false;
    for (int level = 0; level < 20; ++level) redraws |= random.next() < 3647;
    if (!redraws) continue;
    ++found;
    std::uint64_t const first = i < 3 ? 0 : i - 3;
    EXPECT_EQ(edges_of(source, first, 20), by_definition(source, first, 20)) << i;
  }
}

TEST(Kronecker, HasTheReferencesSelfLoopsAndPermutesLabels)
{
  KroneckerEdges const source(14, 16);
  std::set<Label> labels;
  for (std::uint64_t v = 0; v < (1 << 14); ++v) labels.insert(source.scramble(v));
  EXPECT_EQ(labels.size(), 1u << 14);
  EXPECT_EQ(*labels.rbegin(), (1 << 14) - 1);

  KroneckerEdges const scale20(20, 16);  // 1,158 self-loops, counted with the compiled reference
  std::uint64_t loops = 0;
  for (std::uint64_t first = 0; first < scale20.facts().edges; first += 1 << 16)
    for (auto const& edge : edges_of(scale20, first, 1 << 16)) loops += edge.source == edge.target;
  EXPECT_EQ(loops, 1158u);
}

TEST(Kronecker, RefusesScalesThatCannotBeCounted)
{
  EXPECT_THROW(KroneckerEdges(60, 16), Error);
  EXPECT_THROW(KroneckerEdges(1000, 1), Error);
}

TEST(Kronecker, SkippingIsTheSameAsDrawing)
{
  Graph500Random drawn(2, 3), skipped(2, 3);
  for (int i = 0; i < 1000; ++i) drawn.next();
  skipped.skip(0, 0, 1000);
  EXPECT_EQ(drawn.state(), skipped.state());
}

TEST(PackedEdges, KeepTheTuplesInMemoryAndInAFile)
{
  KroneckerEdges const source(12, 16);
  for (TupleHome const home : {TupleHome::memory, TupleHome::file}) {
    PackedEdges const packed(source, home, Team{2}, Progress::none());
    EXPECT_EQ(packed.facts().edges, source.facts().edges);
    EXPECT_EQ(edges_of(packed, 0, packed.facts().edges), edges_of(source, 0, source.facts().edges));
    EXPECT_EQ(edges_of(packed, 777, 5), edges_of(source, 777, 5));
  }
}

TEST(PackedEdges, KeepFortyEightBitsOfALabel)
{
  class Wide final : public EdgeSource {
   public:
    Wide() : EdgeSource({}) { facts_.edges = 2; }
    void read(std::uint64_t first, std::span<Edge> out) const override
    {
      Edge const edges[2] = {{0xffff'ffff'ffff, 1}, {0x1234'5678'9abc, 0x8000'0000'0001}};
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = edges[first + i];
    }
  };
  EXPECT_EQ(edges_of(PackedEdges(Wide(), TupleHome::memory, Team{1}, Progress::none()), 0, 2), edges_of(Wide(), 0, 2));
}

TEST(PackedEdges, SayWhereTheyCouldNotBeWritten)
{
  setenv("TMPDIR", "/nonexistent-folder", 1);
  EXPECT_THROW(PackedEdges(KroneckerEdges(5, 1), TupleHome::file, Team{1}, Progress::none()), Error);
  EXPECT_EQ(PackedEdges::disk_bytes_available(), 0u);
  unsetenv("TMPDIR");
}

}  // namespace
}  // namespace brushfire
