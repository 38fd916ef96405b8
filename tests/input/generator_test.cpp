// Every generator against its definition, and every way to misspell one.
#include "input/generator.hpp"

#include <brushfire/error.hpp>
#include <brushfire/graph.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace brushfire {
namespace {

using Pairs = std::set<std::pair<Label, Label>>;

struct Listed {
  std::uint64_t vertices;
  Pairs edges;  // smaller end first
};

Listed listed(std::string_view spec)
{
  auto const source = open_generator(spec);
  std::vector<Edge> edges(source->facts().edges);
  source->read(0, edges);
  Listed result{source->facts().declared->count, {}};
  for (auto const& [from, to] : edges) result.edges.insert(std::minmax(from, to));
  EXPECT_EQ(result.edges.size(), edges.size()) << spec << " repeats an edge";
  return result;
}

TEST(Generator, Path) { EXPECT_EQ(listed("path:4").edges, (Pairs{{0, 1}, {1, 2}, {2, 3}})); }
TEST(Generator, Cycle) { EXPECT_EQ(listed("cycle:4").edges, (Pairs{{0, 1}, {1, 2}, {2, 3}, {0, 3}})); }
TEST(Generator, Star) { EXPECT_EQ(listed("star:4").edges, (Pairs{{0, 1}, {0, 2}, {0, 3}})); }
TEST(Generator, Complete)
{
  EXPECT_EQ(listed("complete:4").edges, (Pairs{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}}));
  EXPECT_EQ(listed("complete:300").edges.size(), 300u * 299 / 2);
}
TEST(Generator, Grid)
{
  auto const grid = listed("grid:2x3");
  EXPECT_EQ(grid.vertices, 6u);
  EXPECT_EQ(grid.edges, (Pairs{{0, 1}, {1, 2}, {3, 4}, {4, 5}, {0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(listed("grid:1x5").edges.size(), 4u);
  EXPECT_EQ(listed("grid:5x1").edges.size(), 4u);
}
TEST(Generator, Tree)
{
  auto const tree = listed("tree:2x2");
  EXPECT_EQ(tree.vertices, 7u);
  EXPECT_EQ(tree.edges, (Pairs{{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 5}, {2, 6}}));
  EXPECT_EQ(listed("tree:1x3").edges, (Pairs{{0, 1}, {1, 2}, {2, 3}}));
}
TEST(Generator, OneVertexHasNoEdges)
{
  for (auto const* const spec : {"path:1", "star:1", "complete:1", "grid:1x1"}) {
    EXPECT_EQ(listed(spec).vertices, 1u) << spec;
    EXPECT_TRUE(listed(spec).edges.empty()) << spec;
  }
}

TEST(Generator, UniformSpreadsOverAllVerticesAndDependsOnItsSeed)
{
  auto const read = [](std::string_view spec) {
    auto const source = open_generator(spec);
    std::vector<Edge> edges(source->facts().edges);
    source->read(0, edges);
    return edges;
  };
  auto const edges = read("uniform:10");
  EXPECT_EQ(edges.size(), 16u << 10);
  std::vector<int> degrees(1 << 10);
  for (auto const& [from, to] : edges) {
    ++degrees.at(static_cast<std::size_t>(from));
    ++degrees.at(static_cast<std::size_t>(to));
  }
  EXPECT_GT(*std::min_element(degrees.begin(), degrees.end()), 5);  // mean 32
  EXPECT_LT(*std::max_element(degrees.begin(), degrees.end()), 80);
  EXPECT_EQ(read("uniform:10:16:2"), edges);
  EXPECT_NE(read("uniform:10:16:5"), edges);
  EXPECT_EQ(read("uniform:10:3").size(), 3u << 10);
}

TEST(Generator, KronTakesEdgeFactorAndSeed)
{
  auto const first_edge = [](std::string_view spec) {
    std::vector<Edge> edges(1);
    open_generator(spec)->read(0, edges);
    return edges[0];
  };
  EXPECT_EQ(first_edge("kron:10"), (Edge{299, 797}));
  EXPECT_EQ(first_edge("kron:10:16:2"), (Edge{299, 797}));
  EXPECT_NE(first_edge("kron:10:16:7"), (Edge{299, 797}));
  EXPECT_EQ(open_generator("kron:10:5")->facts().edges, 5u << 10);
}

std::vector<Edge> all_edges(std::string_view spec)
{
  auto const source = open_generator(spec);
  std::vector<Edge> edges(source->facts().edges);
  source->read(0, edges);
  return edges;
}

TEST(Generator, TailHangsAPathOnAKroneckerGraph)
{
  auto const kron = all_edges("kron:6"), tail = all_edges("tail:6:3");
  ASSERT_EQ(tail.size(), kron.size() + 3);
  EXPECT_TRUE(std::equal(kron.begin(), kron.end(), tail.begin()));
  EXPECT_EQ(tail[kron.size()], (Edge{kron[0].source, 64}));
  EXPECT_EQ(tail[kron.size() + 1], (Edge{64, 65}));
  EXPECT_EQ(tail[kron.size() + 2], (Edge{65, 66}));
  EXPECT_EQ(open_generator("tail:6:3")->facts().declared->count, 67u);
  std::vector<Edge> across(4);  // a range that starts in the one part and ends in the other
  open_generator("tail:6:3")->read(kron.size() - 2, across);
  EXPECT_EQ(across[1], kron.back());
  EXPECT_EQ(across[3], (Edge{64, 65}));
}

TEST(Generator, PowerlawHasTheDegreesItPromises)
{
  constexpr std::size_t vertices = 20000;
  auto const edges = all_edges("powerlaw:20000:2.5");
  EXPECT_EQ(edges.size(), 16 * vertices);
  std::vector<double> degrees(vertices);
  for (auto const& [from, to] : edges) {
    ++degrees.at(static_cast<std::size_t>(from));
    ++degrees.at(static_cast<std::size_t>(to));
  }
  // With exponent 2.5 the number of vertices of degree >= k falls like k^-1.5: 2.8 times for every doubling.
  auto const at_least = [&](double k) {
    return static_cast<double>(std::count_if(degrees.begin(), degrees.end(), [&](double d) { return d >= k; }));
  };
  for (double const k : {50, 100, 200}) EXPECT_NEAR(at_least(k) / at_least(2 * k), 2.83, 0.5) << k;
  EXPECT_NE(all_edges("powerlaw:1000:2.5:9"), all_edges("powerlaw:1000:2.5"));
  EXPECT_EQ(all_edges("powerlaw:1:3").front(), (Edge{0, 0}));
}

void expect_refused(std::string_view spec, ErrorKind kind)
{
  try {
    open_generator(spec);
    ADD_FAILURE() << spec << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << spec << ": " << error.what();
    EXPECT_NE(std::string(error.what()).find(spec.substr(0, 4)), std::string::npos) << error.what();
  }
}

TEST(Generator, RefusesWhatMakesNoSense)
{
  for (auto const* const spec :
       {"kron:",         "kron:0",           "kron:x",   "kron:-3",  "kron:10:0",   "kron:10:16:2:9", "grid:3",
        "grid:0x4",      "grid:3x",          "grid:3:4", "path:0",   "path:3x4",    "tree:2",         "star:1.5",
        "uniform:0",     "uniform:5:0",      "cycle: 3", "path:99a", "powerlaw:10", "powerlaw:10:2",  "powerlaw:0:2.5",
        "powerlaw:10:x", "powerlaw:1.5:2.5", "tail:5",   "tail:0:4", "tail:5:1.5"})
    expect_refused(spec, ErrorKind::usage);
  for (auto const* const spec : {"kron:60", "kron:99999", "uniform:60", "path:99999999999999999999",
                                 "grid:9999999999x9999999999", "complete:9999999999999", "tree:1000x1000"})
    expect_refused(spec, ErrorKind::memory);
}

TEST(Generator, KnowsItsNames)
{
  EXPECT_TRUE(names_generator("kron:20"));
  EXPECT_TRUE(names_generator("grid:oops"));
  EXPECT_FALSE(names_generator("kron"));
  EXPECT_FALSE(names_generator("some/file.el"));
  EXPECT_FALSE(names_generator("C:file"));
}

}  // namespace
}  // namespace brushfire
