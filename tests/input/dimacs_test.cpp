#include "input/dimacs.hpp"

#include "files.hpp"

namespace brushfire {
namespace {

using testing::expect_error;

std::unique_ptr<EdgeSource> read(std::string_view text)
{
  testing::Notes progress;
  return read_dimacs(TextShare(text_of(testing::bytes_of(text).span()), "x.gr"), Team{2}, progress);
}

void expect_edges(std::string_view text, std::uint64_t vertices, const std::vector<Edge>& expected)
{
  SCOPED_TRACE(text);
  auto const source = read(text);
  testing::expect_edges_of(*source, vertices, expected);
  EXPECT_FALSE(source->facts().listed_twice);
}

void expect_refused(std::string_view text, std::string_view part)
{
  SCOPED_TRACE(text);
  expect_error(ErrorKind::input, part, [&] { read(text); });
}

TEST(Dimacs, ShortestPathProblem)
{
  expect_edges("c a road network\np sp 4 3\nc arcs\na 1 2 10\na 2 1 10\na 4 4 0\n", 4, {{1, 2}, {2, 1}, {4, 4}});
  expect_edges("c\n\np sp 2 1\na 1 2 -3.5", 2, {{1, 2}});
}

TEST(Dimacs, ColouringProblem)
{
  expect_edges("p edge 3 2\ne 1 2\ne 2 3\n", 3, {{1, 2}, {2, 3}});
  expect_edges("p col 3 1\ne 1 2\n", 3, {{1, 2}});
}

TEST(Dimacs, BlanksAndLineEnds)
{
  expect_edges("c x\r\n\r\n  p  sp\t3 2 \r\n\r\na 1  2 1 \r\n a 2 3 1\r\nc end\r\n", 3, {{1, 2}, {2, 3}});
}

TEST(Dimacs, WithoutEdges) { expect_edges("p sp 5 0\n", 5, {}); }

TEST(Dimacs, WrongProblem)
{
  expect_refused("", "expected a problem line");
  expect_refused("c only comments\n", "x.gr:2: expected a problem line");
  expect_refused("a 1 2 3\np sp 2 1\n", "x.gr:1: expected a problem line");
  expect_refused("p max 2 1\na 1 2 3\n", "found 'max'");
  expect_refused("p sp 2\na 1 2 3\n", "x.gr:1: expected the number of edges");
  expect_refused("p sp x 1\na 1 2 3\n", "expected the number of vertices, found 'x'");
  expect_refused("p sp 2 1 7\na 1 2 3\n", "expected the end of the line");
  expect_refused("p sp 2 1\np sp 2 1\na 1 2 3\n", "x.gr:2: expected a line that starts with a");
}

TEST(Dimacs, WrongLines)
{
  expect_refused("p sp 3 1\na 0 2 3\n", "x.gr:2: vertex id 0 is outside 1 ... 3");
  expect_refused("p sp 3 1\na 1 4 3\n", "vertex id 4 is outside 1 ... 3");
  expect_refused("p sp 3 1\na 1\n", "x.gr:2: expected two vertex ids, found one");
  expect_refused("p sp 3 1\na\n", "expected a vertex id");
  expect_refused("p sp 3 1\na -1 2 1\n", "negative");
  expect_refused("p sp 3 1\na 1 2 heavy\n", "expected a number, found 'heavy'");
  expect_refused("p sp 3 1\ne 1 2\n", "expected a line that starts with a");
  expect_refused("p edge 3 1\na 1 2 1\n", "expected a line that starts with e");
  expect_refused("p sp 3 1\n1 2\n", "expected a line that starts with a");
  expect_refused("p sp 3 2\na 1 2 1\n", "x.gr:1: promises 2 edges, but 1 follow");
  expect_refused("p sp 3 1\na 1 2 1\na 2 3 1\n", "promises 1 edges, but 2 follow");
  expect_refused("p sp 3 1000000000000000000\na 1 2 1\n", "promises 1000000000000000000 edges");
}

}  // namespace
}  // namespace brushfire
