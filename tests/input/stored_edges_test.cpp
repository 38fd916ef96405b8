#include "input/stored_edges.hpp"

#include "files.hpp"

#include <fstream>

#include <unistd.h>

namespace brushfire {
namespace {

std::uint64_t resident_bytes()
{
  std::ifstream file("/proc/self/statm");
  std::uint64_t mapped_pages = 0, resident_pages = 0;
  file >> mapped_pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::vector<StoredPiece> three_pieces()
{
  std::vector<StoredPiece> pieces;
  pieces.emplace_back(std::vector<Edge>{{1, 2}, {3, 4}});
  pieces.emplace_back(std::vector<Edge>{});
  pieces.emplace_back(std::vector<Edge>{{5, 1LL << 32}, {largest_label, 0xffffffff}, {7, 8}});
  return pieces;
}

// Every range, so that every way to cross a piece is met.
void expect_ranges(const EdgeSource& source, const std::vector<Edge>& expected)
{
  ASSERT_EQ(source.facts().edges, expected.size());
  for (std::size_t first = 0; first <= expected.size(); ++first)
    for (std::size_t last = first; last <= expected.size(); ++last) {
      std::vector<Edge> got(last - first);
      source.read(first, got);
      ASSERT_EQ(got, std::vector<Edge>(expected.begin() + static_cast<std::ptrdiff_t>(first),
                                       expected.begin() + static_cast<std::ptrdiff_t>(last)))
          << first << " " << last;
    }
}

TEST(StoredEdges, NarrowAndWidePieces)
{
  StoredEdges const source({}, three_pieces());
  EXPECT_FALSE(source.facts().listed_twice);
  expect_ranges(source, {{1, 2}, {3, 4}, {5, 1LL << 32}, {largest_label, 0xffffffff}, {7, 8}});
}

TEST(StoredEdges, WidthChangesAtTwoToThe32)
{
  for (Label const label : {(1LL << 32) - 1, 1LL << 32}) {
    StoredPiece const piece(std::vector<Edge>{{label, 0}, {0, label}});
    EXPECT_EQ(piece.bytes(), label < (1LL << 32) ? 16U : 32U);
    std::vector<Edge> edges(2);
    piece.read(0, edges);
    EXPECT_EQ(edges, (std::vector<Edge>{{label, 0}, {0, label}}));
  }
}

TEST(StoredEdges, PiecesTakeTheMemoryTheySay)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers keep memory of their own for each byte";
#endif
  std::vector<Edge> const edges(75'000, Edge{1, 2});  // about what a reader finds in a piece of a text
  std::uint64_t const before = resident_bytes();
  std::vector<StoredPiece> pieces;
  std::uint64_t said = 0;
  for (int i = 0; i < 64; ++i) said += pieces.emplace_back(edges).bytes();
  EXPECT_LE(resident_bytes(), before + said + said / 4);
}

TEST(StoredEdges, BothWays)
{
  StoredEdges const source({}, three_pieces(), Listing::both_ways);
  EXPECT_TRUE(source.facts().listed_twice);
  expect_ranges(source, {{1, 2},
                         {2, 1},
                         {3, 4},
                         {4, 3},
                         {5, 1LL << 32},
                         {1LL << 32, 5},
                         {largest_label, 0xffffffff},
                         {0xffffffff, largest_label},
                         {7, 8},
                         {8, 7}});
}

}  // namespace
}  // namespace brushfire
