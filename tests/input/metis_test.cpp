#include "input/metis.hpp"

#include "files.hpp"

namespace brushfire {
namespace {

using testing::expect_error;

std::unique_ptr<EdgeSource> read(std::string_view text, int threads = 2)
{
  testing::Notes progress;
  return read_metis(TextShare(text_of(testing::bytes_of(text).span()), "x.graph"), Team{threads}, progress);
}

void expect_edges(std::string_view text, std::uint64_t vertices, const std::vector<Edge>& expected)
{
  SCOPED_TRACE(text);
  auto const source = read(text);
  testing::expect_edges_of(*source, vertices, expected);
  EXPECT_TRUE(source->facts().listed_twice);
}

void expect_refused(std::string_view text, std::string_view part)
{
  SCOPED_TRACE(text);
  expect_error(ErrorKind::input, part, [&] { read(text); });
}

const std::vector<Edge> path_of_three = {{1, 2}, {2, 1}, {2, 3}, {3, 2}};

TEST(Metis, Plain) { expect_edges("3 2\n2\n1 3\n2\n", 3, path_of_three); }

TEST(Metis, EmptyLinesAreIsolatedVertices)
{
  expect_edges("5 1\n\n4\n\n2\n\n", 5, {{2, 4}, {4, 2}});
  expect_edges("5 1\n\n4\n\n2\n", 5, {{2, 4}, {4, 2}});  // the last line is empty and has no end
  expect_edges("3 1\n2\n1\n\n\n\n", 3, {{1, 2}, {2, 1}});
  expect_edges("2 0\n\n\n", 2, {});
  expect_edges("1 0", 1, {});
}

TEST(Metis, CommentsBlanksAndLineEnds)
{
  expect_edges("% c\r\n% c\r\n 3 2 \r\n2 \r\n% between\r\n 1\t3\r\n2\r\n% end\r\n", 3, path_of_three);
  expect_edges("3 2\n2\n1 3\n2", 3, path_of_three);
}

TEST(Metis, Weights)
{
  expect_edges("3 2 0\n2\n1 3\n2\n", 3, path_of_three);
  expect_edges("3 2 1\n2 50\n1 50 3 60\n2 60\n", 3, path_of_three);
  expect_edges("3 2 10\n9 2\n9 1 3\n9 2\n", 3, path_of_three);
  expect_edges("3 2 011 2\n8 9 2 50\n8 9 1 50 3 60\n8 9 2 60\n", 3, path_of_three);
  expect_edges("3 2 100\n4 2\n4 1 3\n4 2\n", 3, path_of_three);
  expect_edges("3 2 111 2\n4 8 9 2 50\n4 8 9 1 50 3 60\n4 8 9 2 60\n", 3, path_of_three);
}

TEST(Metis, SelfLoops)
{
  expect_edges("2 2\n1 2\n1\n", 2, {{1, 1}, {1, 2}, {2, 1}});
  expect_edges("2 2\n1 1 2\n1\n", 2, {{1, 1}, {1, 1}, {1, 2}, {2, 1}});
}

TEST(Metis, WrongHeader)
{
  expect_refused("", "expected the number of vertices");
  expect_refused("% c\n", "expected the number of vertices");
  expect_refused("3\n2\n1 3\n2\n", "x.graph:1: expected the number of edges");
  expect_refused("3 2 2\n2\n1 3\n2\n", "x.graph:1: expected a format");
  expect_refused("3 2 1000\n2\n1 3\n2\n", "expected a format");
  expect_refused("3 2 10 x\n2\n1 3\n2\n", "expected the number of vertex weights");
  expect_refused("3 2 10 9999999999\n2\n1 3\n2\n", "not plausible");
  expect_refused("3 2 0 1 7\n2\n1 3\n2\n", "expected the end of the line");
}

TEST(Metis, BrokenPromises)
{
  expect_refused("5 2\n2\n1 3\n2\n", "x.graph:1: promises 5 vertices, but only 3 lists follow");
  expect_refused("4 2 10\n1 2\n1 1 3\n1 2\n", "promises 4 vertices");
  expect_refused("1000000000000000000 2\n2\n1 3\n2\n", "promises 1000000000000000000 vertices");
  expect_refused("2 2\n2\n1\n2\n", "x.graph:4: more lists than the 2 vertices promised");
  expect_refused("3 3\n2\n1 3\n2\n", "x.graph:1: promises 3 edges, that is 6 list entries, but 4 follow");
  expect_refused("3 1\n2\n1 3\n2\n", "promises 1 edges");
  expect_refused("3 4\n2\n1 3\n2\n", "promises 4 edges");  // directed entries instead of edges
  expect_refused("3 9223372036854775807\n2\n1 3\n2\n", "promises 9223372036854775807 edges");
}

TEST(Metis, WrongLists)
{
  expect_refused("3 2\n2\n1 0\n2\n", "x.graph:3: vertex id 0 is outside 1 ... 3");
  expect_refused("3 2\n2\n1 4\n2\n", "vertex id 4 is outside 1 ... 3");
  expect_refused("3 2\n2\n1 x\n2\n", "x.graph:3: expected a vertex id, found 'x'");
  expect_refused("3 2\n2\n1 -3\n2\n", "negative");
  expect_refused("3 2 1\n2 50\n1 50 3\n2 60\n", "x.graph:3: expected a number, found the end of the line");
  expect_refused("3 2 10\n\n9 1 3\n9 2\n", "x.graph:2: expected a number");
}

TEST(Metis, Asymmetric)
{
  expect_refused("3 2\n2\n1 3\n1\n", "x.graph: the list of 3 names 1 more often than the list of 1 names 3");
  expect_refused("4 1\n2\n3\n\n\n", "an undirected graph lists both");
  expect_refused("2 2\n2 2 2\n1\n", "the list of 1 names 2 more often");
}

// A ring long enough for several pieces, comments and all: the number of a list depends on the pieces before it.
TEST(Metis, InParallel)
{
  Label const vertices = 300'000;
  std::string text = std::to_string(vertices) + " " + std::to_string(vertices) + "\n";
  std::vector<Edge> expected;
  for (Label vertex = 1; vertex <= vertices; ++vertex) {
    if (vertex % 1000 == 0) text += "% a comment\n";
    for (Label const neighbour : {vertex % vertices + 1, vertex == 1 ? vertices : vertex - 1}) {
      text += std::to_string(neighbour) + " ";
      expected.push_back({vertex, neighbour});
    }
    text += "\n";
  }
  ASSERT_GT(text.size(), 3U << 20);
  for (int const threads : {1, 3}) EXPECT_TRUE(testing::edges_of(*read(text, threads)) == expected) << threads;
}

}  // namespace
}  // namespace brushfire
