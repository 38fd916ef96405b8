#include "input/edge_list.hpp"

#include "files.hpp"

#include <random>

namespace brushfire {
namespace {

using testing::expect_error;

std::unique_ptr<EdgeSource> read(std::string_view text, ColumnNames names = ColumnNames::none, int threads = 2)
{
  testing::Notes progress;
  return read_edge_list(TextShare(text_of(testing::bytes_of(text).span()), "x.el"), names, Team{threads}, progress);
}

void expect_edges(std::string_view text, const std::vector<Edge>& expected, ColumnNames names = ColumnNames::none)
{
  SCOPED_TRACE(text);
  auto const source = read(text, names);
  EXPECT_EQ(testing::edges_of(*source), expected);
  EXPECT_EQ(source->facts().name, "x.el");
  EXPECT_FALSE(source->facts().declared.has_value());
  EXPECT_FALSE(source->facts().listed_twice);
  EXPECT_FALSE(source->facts().directed);
}

void expect_refused(std::string_view text, std::string_view part, ColumnNames names = ColumnNames::none)
{
  SCOPED_TRACE(text);
  expect_error(ErrorKind::input, part, [&] { read(text, names); });
}

TEST(EdgeList, Plain)
{
  expect_edges("0 1\n1 2\n", {{0, 1}, {1, 2}});
  expect_edges("5 5\n5 5\n", {{5, 5}, {5, 5}});
}

TEST(EdgeList, LineEndsAndBlanks)
{
  expect_edges("0 1\r\n1 2\r\n", {{0, 1}, {1, 2}});
  expect_edges("0 1\r\n1 2\r", {{0, 1}, {1, 2}});
  expect_edges("0 1\n1 2", {{0, 1}, {1, 2}});
  expect_edges("\n\n0 1\n  \n\t\n1 2\n\n", {{0, 1}, {1, 2}});
  expect_edges("  0   1  \n\t1\t2\t\n", {{0, 1}, {1, 2}});
  expect_edges(
      "\xef\xbb\xbf"
      "0 1\n",
      {{0, 1}});
}

TEST(EdgeList, Separators)
{
  expect_edges("0,1\n1, 2\n2 ,3\n3\t4\n", {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  expect_edges("0,1,\n", {{0, 1}});
  expect_refused("0,,1\n", "x.el:1: expected a vertex id, found ',1'");
}

TEST(EdgeList, Comments)
{
  expect_edges("# a\n% b\n// c\n0 1\n  # d\n1 2 # e\n2 3 0.5 % f\n", {{0, 1}, {1, 2}, {2, 3}});
}

TEST(EdgeList, WeightsAreIgnored)
{
  expect_edges("0 1 7\n1 2 -3\n2 3 0.5\n3 4 -1.5e-7 12 +3.\n4 5 .5\n5 6 1E9\n",
               {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}});
  expect_edges("0,1,0.25\n", {{0, 1}});
}

TEST(EdgeList, LabelsOf63Bits)
{
  expect_edges("9223372036854775807 0\n4294967296 4294967295\n", {{largest_label, 0}, {1LL << 32, (1LL << 32) - 1}});
  expect_edges("00000000000000000000000000005 007\n", {{5, 7}});
}

TEST(EdgeList, ColumnNames)
{
  expect_edges("source,target\n0,1\n", {{0, 1}}, ColumnNames::allowed);
  expect_edges("# note\n\n\"a\"\tb\tc\n0\t1\t2\n", {{0, 1}}, ColumnNames::allowed);
  expect_edges("0,1\n", {{0, 1}}, ColumnNames::allowed);
  expect_refused("a,b\nc,d\n0,1\n", "x.el:2: ", ColumnNames::allowed);
  expect_refused("source target\n0 1\n", "x.el:1: expected a vertex id, found 'source'");
  expect_refused("-1,2\n", "negative", ColumnNames::allowed);
  expect_refused("a,b\n", "has no edge", ColumnNames::allowed);
}

TEST(EdgeList, WithoutAnEdge)
{
  expect_refused("", "has no edge");
  expect_refused("# nothing\n\n", "has no edge");
}

TEST(EdgeList, IdsThatAreNone)
{
  expect_refused("0 1\n1 -2\n", "x.el:2: a vertex id cannot be negative: '-2'");
  expect_refused("-1 2\n", "negative");
  expect_refused("0 1.5\n", "x.el:1: a vertex id is a whole number, not '1.5'");
  expect_refused("1e3 2\n", "whole number");
  expect_refused("0 1\n9223372036854775808 1\n", "x.el:2: a vertex id is at most 2^63-1");
  expect_refused("1 99999999999999999999999999\n", "2^63-1");
  expect_refused("18446744073709551617 1\n", "2^63-1");
  expect_refused("1 2x\n", "found '2x'");
  expect_refused("1 x\n", "found 'x'");
  expect_refused("+1 2\n", "found '+1'");
  expect_refused("- 2\n", "expected a vertex id");
}

TEST(EdgeList, OneNumber)
{
  expect_refused("0 1\n\n7\n", "x.el:3: expected two vertex ids, found one");
  expect_refused("7 ", "found one");
  expect_refused("7 # 8\n", "expected a vertex id");
}

TEST(EdgeList, FurtherColumnsHoldAnything)
{
  expect_edges("0 1 friend\n1 2 2024-01-01 \"a, b\"\n2 3 -1.5e3 nan\n", {{0, 1}, {1, 2}, {2, 3}});
  expect_edges("a,b,kind\n0,1,knows\n", {{0, 1}}, ColumnNames::allowed);
  expect_refused("0 1friend\n", "x.el:1");
  expect_refused(std::string_view("0 1 a\0b\n", 8), "byte 0x00");
}

TEST(EdgeList, CarriageReturnsAloneAreNoLineEnds) { expect_refused("0 1\r2 3\r", "byte 0x0d"); }

TEST(EdgeList, BinaryNoise)
{
  expect_refused(std::string_view("\0\1\2\3\n", 5), "x.el:1: expected a vertex id, found byte 0x00");
  expect_refused(std::string_view("0 1\n\xff\xfe\n", 7), "x.el:2: expected a vertex id, found byte 0xff");
  expect_refused(std::string_view("0 1\0", 4), "byte 0x00");
}

std::string long_text(const std::vector<Edge>& edges)
{
  std::string text = "# the first lines are short\n";
  for (Edge const& edge : edges) text += std::to_string(edge.source) + "\t" + std::to_string(edge.target) + "\n";
  return text;
}

// Many pieces, cut in the middle of the file, some with wide labels, by several threads.
TEST(EdgeList, InParallel)
{
  std::mt19937_64 random(3);
  std::vector<Edge> edges(400'000);
  for (Edge& edge : edges)
    edge = {static_cast<Label>(random() >> (40 + random() % 24)), static_cast<Label>(random() >> 45)};
  edges[200'000].target = 1LL << 60;
  std::string const text = long_text(edges);
  ASSERT_GT(text.size(), 4U << 20);
  for (int const threads : {1, 2, 5}) {
    auto const source = read(text, ColumnNames::none, threads);
    EXPECT_TRUE(testing::edges_of(*source) == edges) << threads;
    std::vector<Edge> middle(100'000);
    source->read(150'000, middle);
    EXPECT_TRUE(std::equal(middle.begin(), middle.end(), edges.begin() + 150'000));
  }
}

TEST(EdgeList, FirstMistakeIsNamed)
{
  std::string text = long_text(std::vector<Edge>(500'000, {123, 456}));
  std::size_t const early = text.find('\n', 1'500'000) + 1;
  text[early] = 'x';
  text[text.find('\n', 3'000'000) + 1] = 'y';
  auto const line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(early), '\n') + 1;
  for (int const threads : {1, 2, 4})
    expect_error(ErrorKind::input, "x.el:" + std::to_string(line) + ": expected a vertex id, found 'x23'",
                 [&] { read(text, ColumnNames::none, threads); });
}

}  // namespace
}  // namespace brushfire
