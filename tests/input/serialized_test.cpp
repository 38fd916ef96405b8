#include "input/serialized.hpp"

#include "files.hpp"

namespace brushfire {
namespace {

using testing::expect_error;

template <typename T>
void append(std::string& bytes, std::initializer_list<T> values)
{
  for (T const value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string lists(std::initializer_list<std::int64_t> offsets, std::initializer_list<std::int32_t> neighbours)
{
  std::string bytes;
  append(bytes, offsets);
  append(bytes, neighbours);
  return bytes;
}

std::string file(char directed, std::int64_t entries, std::int64_t vertices, const std::string& body)
{
  std::string bytes(1, directed);
  append(bytes, {entries, vertices});
  return bytes + body;
}

std::unique_ptr<EdgeSource> read(const std::string& bytes)
{
  return read_serialized(testing::bytes_of(bytes), "x.sg", Team{2});
}

void expect_refused(const std::string& bytes, std::string_view part)
{
  expect_error(ErrorKind::input, part, [&] { read(bytes); });
}

// 1 - 3 - 4 with 0 and 2 isolated.
const std::string undirected = file(0, 4, 5, lists({0, 0, 1, 1, 3, 4}, {3, 1, 4, 3}));
// 0 -> 1, 0 -> 2, 2 -> 1
const std::string directed = file(1, 3, 3, lists({0, 2, 2, 3}, {1, 2, 1}) + lists({0, 0, 2, 3}, {0, 2, 0}));

TEST(Serialized, Undirected)
{
  auto const source = read(undirected);
  EdgeFacts const& facts = source->facts();
  EXPECT_EQ(facts.name, "x.sg");
  EXPECT_EQ(facts.declared->first, 0);
  EXPECT_EQ(facts.declared->count, 5U);
  EXPECT_TRUE(facts.listed_twice);
  EXPECT_FALSE(facts.directed);
  std::vector<Edge> const expected = {{1, 3}, {3, 1}, {3, 4}, {4, 3}};
  EXPECT_EQ(testing::edges_of(*source), expected);
  for (std::size_t first = 0; first < 4; ++first)
    for (std::size_t count = 0; first + count <= 4; ++count) {
      std::vector<Edge> part(count);
      source->read(first, part);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), expected.begin() + static_cast<std::ptrdiff_t>(first)));
    }
}

TEST(Serialized, Directed)
{
  auto const source = read(directed);
  EXPECT_TRUE(source->facts().directed);
  EXPECT_FALSE(source->facts().listed_twice);
  EXPECT_EQ(testing::edges_of(*source), (std::vector<Edge>{{0, 1}, {0, 2}, {2, 1}}));
}

TEST(Serialized, WithoutEntries)
{
  EXPECT_EQ(read(file(0, 0, 3, lists({0, 0, 0, 0}, {})))->facts().declared->count, 3U);
  EXPECT_EQ(read(file(0, 0, 0, lists({0}, {})))->facts().edges, 0U);
}

TEST(Serialized, EveryTruncation)
{
  for (std::string const& whole : {undirected, directed})
    for (std::size_t size = 0; size < whole.size(); ++size) expect_refused(whole.substr(0, size), "x.sg: ");
  expect_refused(undirected.substr(0, undirected.size() - 1), "truncated");
}

TEST(Serialized, WrongHeader)
{
  expect_refused("", "too short");
  expect_refused(file(2, 4, 5, undirected.substr(17)), "wrong header");
  expect_refused(file(0, -4, 5, undirected.substr(17)), "wrong header");
  expect_refused(file(0, 4, -5, undirected.substr(17)), "wrong header");
  expect_refused(file(0, 4, 1LL << 31, undirected.substr(17)), "wrong header");
  expect_refused(undirected + "x", "has 1 bytes behind its end");
}

TEST(Serialized, HeaderThatPromisesTooMuch)
{
  for (std::int64_t const entries :
       std::vector<std::int64_t>{1000, 1000000000000000000, 1LL << 61, 1LL << 62, largest_label})
    for (std::int64_t const vertices : std::vector<std::int64_t>{5, (1LL << 31) - 1})
      expect_refused(file(0, entries, vertices, undirected.substr(17)), "truncated: promises");
}

TEST(Serialized, WrongOffsets)
{
  expect_refused(file(0, 4, 5, lists({1, 0, 1, 1, 3, 4}, {3, 1, 4, 3})), "do not cover");
  expect_refused(file(0, 4, 5, lists({0, 0, 1, 1, 3, 5}, {3, 1, 4, 3})), "do not cover");
  expect_refused(file(0, 4, 5, lists({0, 0, 3, 1, 3, 4}, {3, 1, 4, 3})), "the list of vertex 2 ends before it starts");
  expect_refused(file(0, 4, 5, lists({0, 0, 1, -1, 3, 4}, {3, 1, 4, 3})), "ends before it starts");
  expect_refused(file(0, 4, 5, lists({0, 0, 1, 1LL << 40, 3, 4}, {3, 1, 4, 3})), "ends before it starts");
}

TEST(Serialized, WrongNeighbours)
{
  expect_refused(file(0, 4, 5, lists({0, 0, 1, 1, 3, 4}, {5, 1, 4, 3})), "entry 0 is vertex 5, outside 0 ... 4");
  expect_refused(file(0, 4, 5, lists({0, 0, 1, 1, 3, 4}, {3, 1, 4, -1})), "entry 3 is vertex -1");
}

TEST(Serialized, Asymmetric)
{
  expect_refused(file(0, 4, 5, lists({0, 0, 1, 1, 3, 4}, {3, 1, 4, 2})),
                 "the list of 4 names 2 more often than the list of 2 names 4");
  expect_refused(file(0, 1, 2, lists({0, 1, 1}, {1})), "the list of 0 names 1");
}

TEST(Serialized, WrongInverse)
{
  expect_refused(file(1, 3, 3, lists({0, 2, 2, 3}, {1, 2, 1}) + lists({0, 0, 2, 3}, {0, 2, 1})), "not the inverse");
  expect_refused(file(1, 3, 3, lists({0, 2, 2, 3}, {1, 2, 1}) + lists({0, 2, 2, 3}, {1, 2, 1})), "not the inverse");
  expect_refused(file(1, 3, 3, lists({0, 2, 2, 3}, {1, 2, 1}) + lists({0, 0, 2, 3}, {0, 9, 0})), "vertex 9");
}

}  // namespace
}  // namespace brushfire
