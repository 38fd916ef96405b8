#include "input/matrix_market.hpp"

#include "files.hpp"

namespace brushfire {
namespace {

using testing::expect_error;

std::unique_ptr<EdgeSource> read(std::string_view text)
{
  testing::Notes progress;
  return read_matrix_market(TextShare(text_of(testing::bytes_of(text).span()), "x.mtx"), Team{2}, progress);
}

void expect_edges(std::string_view text, std::uint64_t vertices, const std::vector<Edge>& expected)
{
  SCOPED_TRACE(text);
  testing::expect_edges_of(*read(text), vertices, expected);
}

void expect_refused(std::string_view text, std::string_view part)
{
  SCOPED_TRACE(text);
  expect_error(ErrorKind::input, part, [&] { read(text); });
}

TEST(MatrixMarket, General)
{
  expect_edges("%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n2 3\n4 4\n", 4, {{1, 2}, {2, 3}, {4, 4}});
  EXPECT_FALSE(read("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n")->facts().listed_twice);
}

TEST(MatrixMarket, EveryField)
{
  expect_edges("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -0.5e3\n", 2, {{1, 2}});
  expect_edges("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 -7\n", 2, {{1, 2}});
  expect_edges("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 0.5 -1\n", 2, {{1, 2}});
}

TEST(MatrixMarket, HalfMatricesAreListedBothWays)
{
  for (std::string const symmetry : {"symmetric", "skew-symmetric", "hermitian"}) {
    std::string const text = "%%MatrixMarket matrix coordinate pattern " + symmetry + "\n3 3 2\n2 1\n3 1\n";
    expect_edges(text, 3, {{2, 1}, {1, 2}, {3, 1}, {1, 3}});
    EXPECT_TRUE(read(text)->facts().listed_twice);
  }
}

TEST(MatrixMarket, CommentsBlanksAndLineEnds)
{
  expect_edges(
      "%%matrixmarket MATRIX Coordinate Pattern GENERAL  \r\n% c\r\n\r\n%\r\n 3 3 2 \r\n\r\n1 2 \r\n% c\r\n  "
      "2\t3\r\n\r\n",
      3, {{1, 2}, {2, 3}});
  expect_edges("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2", 2, {{1, 2}});
}

TEST(MatrixMarket, WithoutEntries)
{
  expect_edges("%%MatrixMarket matrix coordinate pattern general\n5 5 0\n", 5, {});
  expect_edges("%%MatrixMarket matrix coordinate pattern symmetric\n0 0 0", 0, {});
}

TEST(MatrixMarket, WrongBanner)
{
  expect_refused("", "x.mtx:1: expected the banner");
  expect_refused("2 2 1\n1 2\n", "x.mtx:1: expected the banner %%MatrixMarket");
  expect_refused("%%MatrixMarket vector coordinate real general\n2 2 1\n1 2\n", "expected a matrix, found 'vector'");
  expect_refused("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", "only coordinate matrices are graphs");
  expect_refused("%%MatrixMarket matrix coordinate quaternion general\n2 2 1\n1 2\n", "found 'quaternion'");
  expect_refused("%%MatrixMarket matrix coordinate real\n2 2 1\n1 2\n", "found ''");
  expect_refused("%%MatrixMarket matrix coordinate real general extra\n2 2 1\n1 2\n", "expected the end of the line");
}

TEST(MatrixMarket, WrongSizes)
{
  std::string const banner = "%%MatrixMarket matrix coordinate pattern general\n";
  expect_refused(banner, "x.mtx:2: expected the number of rows");
  expect_refused(banner + "% only comments\n", "x.mtx:3: expected the number of rows");
  expect_refused(banner + "2 2\n1 2\n", "x.mtx:2: expected the number of entries");
  expect_refused(banner + "2 3 1\n1 2\n",
                 "x.mtx:2: the matrix has 2 rows and 3 columns; a graph needs a square matrix");
  expect_refused(banner + "-2 -2 1\n1 2\n", "negative");
  expect_refused(banner + "2 2 1 9\n1 2\n", "expected the end of the line");
  expect_refused(banner + "3 3 1000000000000000000\n1 2\n",
                 "x.mtx:2: promises 1000000000000000000 entries, but 1 follow");
  expect_refused(banner + "3 3 99999999999999999999\n1 2\n", "2^63-1");
}

TEST(MatrixMarket, WrongEntries)
{
  std::string const header = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n";
  expect_refused(header + "1 2\n", "promises 2 entries, but 1 follow");
  expect_refused(header + "1 2\n2 3\n3 1\n", "promises 2 entries, but 3 follow");
  expect_refused(header + "1 2\n0 3\n", "x.mtx:4: vertex id 0 is outside 1 ... 3");
  expect_refused(header + "1 4\n2 3\n", "x.mtx:3: vertex id 4 is outside 1 ... 3");
  expect_refused(header + "1\n2 3\n", "x.mtx:3: expected a row and a column, found one number");
  expect_refused(header + "1 -2\n2 3\n", "negative");
  expect_refused(header + "1 2.5\n2 3\n", "whole number");
  expect_refused(header + "1 2 x\n2 3\n", "expected a number, found 'x'");
  expect_refused(header + "1 2\nb 3\n", "expected a vertex id, found 'b'");
}

TEST(MatrixMarket, IsKnownByItsBanner)
{
  EXPECT_TRUE(has_matrix_market_banner("%%matrixMARKET matrix"));
  EXPECT_FALSE(has_matrix_market_banner("%%Matrix"));
  EXPECT_FALSE(has_matrix_market_banner(""));
}

}  // namespace
}  // namespace brushfire
