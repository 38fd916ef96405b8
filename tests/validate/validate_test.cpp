// Every rule has an array that breaks it and is refused by number and witness; every valid tree is accepted,
// whichever parents it chose; and the verdict does not depend on the number of threads.
#include "validate/judge.hpp"

#include "base/clock.hpp"
#include "battery.hpp"
#include "validate/oracle.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace brushfire {
namespace {

using testing::Judge;
using testing::Parents;
using testing::random_tree;
using testing::Validate;

Verdict judge_on_host(const EdgeSource& source, Label root, const Parents& parents, const TreeRules& rules, int threads)
{
  Labels const labels = Labels::of_source(source, Team{1});
  return validate_tree(source, labels, root, {parents.data(), parents.size()}, rules, Team{threads}, Progress::none());
}

INSTANTIATE_TEST_SUITE_P(Host, Validate, ::testing::Values(Judge{"the host", false, judge_on_host}));

void expect_valid(const Verdict& verdict)
{
  EXPECT_EQ(verdict.broken_rule, 0) << verdict.witness;
  EXPECT_EQ(verdict.witness, "");
}

void expect_broken(const Verdict& verdict, int rule, const std::string& witness)
{
  EXPECT_EQ(verdict.broken_rule, rule);
  EXPECT_EQ(verdict.witness, witness);
}

// 0 - 1, 0 - 2, 1 - 3, 2 - 4, 3 - 4 is a ring of five; 5 - 6 is another component; 7 is isolated.
testing::SharedSource const rings =
    testing::make_source("rings", 8, {{0, 1}, {2, 0}, {1, 3}, {4, 2}, {3, 4}, {5, 6}, {1, 1}, {0, 1}});
Parents const rings_tree{0, 0, 0, 1, 2, -1, -1, -1};

TEST_P(Validate, AcceptsATreeAndCounts)
{
  Verdict const verdict = judge(*rings, 0, rings_tree);
  expect_valid(verdict);
  EXPECT_EQ(verdict.reached, 5u);
  EXPECT_EQ(verdict.depth, 2);
  EXPECT_EQ(verdict.nedge, 6u);  // the duplicate counts, the self-loop does not
}

TEST_P(Validate, Rule1CycleElsewhere)
{
  expect_broken(judge(*rings, 0, {0, 0, 0, 1, 2, 6, 5, -1}), 1, "rule 1: the parents of vertex 5 lead into a cycle");
}

TEST_P(Validate, Rule1CycleThroughTheRoot)
{
  expect_broken(judge(*rings, 0, {1, 0, 0, 1, 2, -1, -1, -1}), 1, "rule 1: the parent of the root 0 is 1, not itself");
}

TEST_P(Validate, Rule1SecondRoot)
{
  expect_broken(judge(*rings, 0, {0, 0, 0, 1, 2, 5, 5, -1}), 1, "rule 1: vertex 5 is its own parent, but not the root");
  expect_broken(judge(*rings, 0, {0, 0, 0, 1, 2, 6, 6, -1}), 1, "rule 1: the parents of vertex 5 lead into a cycle");
}

TEST_P(Validate, Rule1LongCycleWithTails)
{
  // 0 is the root; 1 ... 999 run in a cycle; 1000 ... 1999 hang off it.
  Parents parents(2000);
  for (Label v = 1; v < 2000; ++v) parents[static_cast<std::size_t>(v)] = v < 1000 ? v % 999 + 1 : v / 2;
  auto const source = testing::make_source("cycle", 2000, testing::path_edges(2000));
  for (int threads : {1, 3})
    expect_broken(judge(*source, 0, parents, {}, threads), 1, "rule 1: the parents of vertex 1 lead into a cycle");
}

TEST_P(Validate, Rule2ParentOutsideTheTree)
{
  expect_broken(judge(*rings, 0, {0, 0, 0, 1, 2, -1, 5, -1}), 2,
                "rule 2: the parent of vertex 6 is 5, which is not in the tree");
  // Only the vertex that hangs in the air is to blame, not those that hang from it.
  expect_broken(judge(*rings, 0, {0, 0, 0, 1, 2, 6, 7, -1}), 2,
                "rule 2: the parent of vertex 6 is 7, which is not in the tree");
}

TEST_P(Validate, Rule2ParentOutsideTheGraph)
{
  for (Label stranger : {Label{8}, Label{-2}, largest_label, std::numeric_limits<Label>::min()})
    expect_broken(judge(*rings, 0, {0, 0, 0, 1, stranger, -1, -1, -1}), 2,
                  "rule 2: the parent of vertex 4 is " + std::to_string(stranger) + ", which is not in the graph");
}

TEST_P(Validate, Rule3EdgeSkipsALevel)
{
  // Round the ring the long way: 0 - 1 - 3 - 4, and 2 below 4. Every tree edge is an edge.
  expect_broken(judge(*rings, 0, {0, 0, 4, 1, 3, -1, -1, -1}), 3, "rule 3: edge (2, 0) joins levels 4 and 0");
}

TEST_P(Validate, Rule4VertexLeftOut)
{
  expect_broken(judge(*rings, 0, {0, 0, 0, 1, -1, -1, -1, -1}), 4, "rule 4: edge (4, 2) has 2 in the tree but not 4");
  expect_broken(judge(*rings, 0, {0, 0, 0, -1, 2, -1, -1, -1}), 4, "rule 4: edge (1, 3) has 1 in the tree but not 3");
}

TEST_P(Validate, Rule4RootLeftOut)
{
  expect_broken(judge(*rings, 0, Parents(8, -1)), 4, "rule 4: the root 0 is not in the tree");
}

TEST_P(Validate, Rule5NotAnEdge)
{
  // 4 is at the right level below 1, but they are not neighbours.
  expect_broken(judge(*rings, 0, {0, 0, 0, 1, 1, -1, -1, -1}), 5,
                "rule 5: the parent of vertex 4 is 1, but no edge joins them");
  // A vertex of another component, which only its tree edge brings in.
  expect_broken(judge(*rings, 0, {0, 0, 0, 1, 2, -1, -1, 0}), 5,
                "rule 5: the parent of vertex 7 is 0, but no edge joins them");
}

TEST_P(Validate, SmallestRuleAndWitnessFirst)
{
  // Two vertices without their edge, an edge that leaves the tree, and one that skips: rule 3 is named.
  auto const source = testing::make_source("mess", 6, {{0, 1}, {0, 5}, {1, 2}, {2, 3}, {0, 3}, {0, 2}});
  expect_broken(judge(*source, 0, {0, 0, 1, 2, 0, -1}), 3, "rule 3: edge (0, 3) joins levels 0 and 3");
  expect_broken(judge(*source, 0, {0, 0, 0, 0, 0, -1}), 4, "rule 4: edge (0, 5) has 0 in the tree but not 5");
  expect_broken(judge(*source, 0, {0, 0, 0, 0, 3, 0}), 5,
                "rule 5: the parent of vertex 4 is 3, but no edge joins them");
}

TEST_P(Validate, RefusesAWrongRequest)
{
  for (auto const& [root, size] : {std::pair{8, 8}, {-1, 8}, {0, 7}, {0, 9}}) {
    try {
      judge(*rings, root, Parents(static_cast<std::size_t>(size), -1));
      FAIL() << "root " << root << ", " << size << " parents";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
    }
  }
}

TEST(ValidateOnHost, NarrowParents)
{
  Labels const labels = Labels::of_source(*rings, Team{1});
  std::vector<std::int32_t> parents{0, 0, 0, 1, 2, -1, -1, -1};
  auto const verdict = [&] {
    return validate_tree(*rings, labels, 0, {parents.data(), parents.size()}, {}, Team{1}, Progress::none());
  };
  expect_valid(verdict());
  parents[4] = 1;
  EXPECT_EQ(verdict().broken_rule, 5);
}

TEST_P(Validate, Directed)
{
  TreeRules const rules{.directed = true, .max_depth = {}};
  // 0 -> 1 -> 2 -> 3, a way back 3 -> 0 that may climb any number of levels, and 4 -> 1 from outside.
  auto const source = testing::make_source("arrows", 5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 1}});
  Verdict const verdict = judge(*source, 0, {0, 0, 1, 2, -1}, rules);
  expect_valid(verdict);
  EXPECT_EQ(verdict.nedge, 4u);
  EXPECT_EQ(judge(*source, 0, {0, 0, 1, 2, -1}).broken_rule, 3);  // as an undirected graph it is a ring

  expect_broken(judge(*source, 0, {0, 0, 1, -1, -1}, rules), 4, "rule 4: edge (2, 3) has 2 in the tree but not 3");
  expect_broken(judge(*source, 0, {0, 0, 1, 0, -1}, rules), 5,
                "rule 5: the parent of vertex 3 is 0, but no edge joins them");
  auto const shortcut = testing::make_source("shortcut", 4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
  expect_broken(judge(*shortcut, 0, {0, 0, 1, 2}, rules), 3, "rule 3: edge (0, 3) joins levels 0 and 3");
}

TEST_P(Validate, MaxDepth)
{
  TreeRules const rules{.directed = false, .max_depth = 1};
  expect_valid(judge(*rings, 0, {0, 0, 0, -1, -1, -1, -1, -1}, rules));
  expect_broken(judge(*rings, 0, {0, 0, -1, -1, -1, -1, -1, -1}, rules), 4,
                "rule 4: edge (2, 0) has 0 in the tree but not 2");
  expect_broken(judge(*rings, 0, {0, 0, 0, 1, -1, -1, -1, -1}, rules), 4,
                "rule 4: vertex 3 has level 2, beyond the depth limit 1");
  expect_valid(judge(*rings, 0, rings_tree, {.directed = false, .max_depth = 2}));
  expect_valid(judge(*rings, 0, {0, -1, -1, -1, -1, -1, -1, -1}, {.directed = false, .max_depth = 0}));
}

TEST_P(Validate, ListedTwice)
{
  auto const source = testing::make_source_listed_twice("twice", 4, {{0, 1}, {1, 2}, {0, 2}, {3, 3}});
  Verdict const verdict = judge(*source, 0, {0, 0, 0, -1});
  expect_valid(verdict);
  EXPECT_EQ(verdict.nedge, 3u);
  // Searched as a directed graph, its tuples are arcs, each one an edge.
  EXPECT_EQ(judge(*source, 0, {0, 0, 0, -1}, {.directed = true, .max_depth = {}}).nedge, 6u);
  expect_broken(judge(*source, 0, {0, 0, 1, -1}), 3, "rule 3: edge (0, 2) joins levels 0 and 2");
}

TEST_P(Validate, SparseLabels)
{
  // In the order of the labels: 5, 10, 2^40, 2^63-1.
  Label const far = Label{1} << 40;
  auto const source = testing::make_source("sparse", {{far, 5}, {largest_label, 5}, {10, largest_label}});
  expect_valid(judge(*source, far, {far, largest_label, far, 5}));
  expect_broken(judge(*source, far, {far, largest_label, far, 7}), 2,
                "rule 2: the parent of vertex 9223372036854775807 is 7, which is not in the graph");
  expect_broken(judge(*source, far, {far, 5, far, 5}), 5,
                "rule 5: the parent of vertex 10 is 5, but no edge joins them");
  expect_broken(judge(*source, far, {far, -1, far, 5}), 4,
                "rule 4: edge (10, 9223372036854775807) has 9223372036854775807 in the tree but not 10");
}

// Every tree of the battery, several choices of parents each, and what the verdict counts.
TEST_P(Validate, AcceptsAnyValidTreeOfTheBattery)
{
  for (auto const& graph : testing::battery()) {
    Labels const labels = Labels::of_source(*graph.source, Team{1});
    for (Label root : graph.roots) {
      for (bool directed : {false, true}) {
        for (std::optional<std::int64_t> max_depth : {std::optional<std::int64_t>{}, {0}, {2}}) {
          SCOPED_TRACE(graph.name + " from " + std::to_string(root) + (directed ? " directed" : ""));
          auto const expected = oracle_search(*graph.source, labels, root, directed, max_depth);
          for (std::uint64_t seed : {1, 2, 3}) {
            Parents const parents = random_tree(*graph.source, root, directed, max_depth, seed);
            Verdict const verdict = judge(*graph.source, root, parents, {directed, max_depth}, static_cast<int>(seed));
            expect_valid(verdict);
            EXPECT_EQ(verdict.reached, expected.reached);
            EXPECT_EQ(verdict.depth, expected.depth);
            EXPECT_EQ(verdict.nedge, expected.nedge);
          }
        }
      }
    }
  }
}

// Damaged at random, a tree gets the same verdict from one thread and from three.
TEST_P(Validate, ThreadsAgree)
{
  auto const source = testing::random_graph(5, {.vertices = 60000, .edges = 90000});
  Parents const tree = random_tree(*source, 0, false, {}, 1);
  std::mt19937_64 random(9);
  std::vector<int> verdicts(6);
  for (int round = 0; round < 40; ++round) {
    Parents parents = tree;
    for (int damage = 0; damage < 1 + round % 3; ++damage)
      parents[random() % parents.size()] = static_cast<Label>(random() % (parents.size() + 1)) - 1;
    Verdict const alone = judge(*source, 0, parents, {}, 1);
    Verdict const together = judge(*source, 0, parents, {}, 3);
    EXPECT_EQ(alone.broken_rule, together.broken_rule);
    EXPECT_EQ(alone.witness, together.witness);
    EXPECT_EQ(alone.reached, together.reached);
    EXPECT_EQ(alone.nedge, together.nedge);
    ++verdicts[static_cast<std::size_t>(alone.broken_rule)];
  }
  EXPECT_LT(verdicts[0], 10);  // the damage was real
}

// Parents that point forwards and backwards: a chase that remembers nothing would take 5 * 10^11 steps.
TEST_P(Validate, MillionVertexPathBothWays)
{
  Label const n = 1'000'000;
  auto const source = testing::make_source("path", n, testing::path_edges(n));
  Parents rising(n);
  Parents falling(n);
  for (Label v = 0; v < n; ++v) {
    rising[static_cast<std::size_t>(v)] = std::max<Label>(v - 1, 0);
    falling[static_cast<std::size_t>(v)] = std::min<Label>(v + 1, n - 1);
  }
  for (int threads : {1, 2}) {
    Stopwatch const watch;
    Verdict const from_first = judge(*source, 0, rising, {}, threads);
    Verdict const from_last = judge(*source, n - 1, falling, {}, threads);
    EXPECT_LT(watch.seconds(), 2.0 * patience());
    expect_valid(from_first);
    expect_valid(from_last);
    EXPECT_EQ(from_last.depth, n - 1);
    EXPECT_EQ(from_last.nedge, static_cast<std::uint64_t>(n - 1));
  }
}

// Half a million cycles of two: finding each may not cost more than its length.
TEST_P(Validate, ManySmallCyclesAreFoundQuickly)
{
  Label const n = 1'000'001;
  Parents parents(n);
  for (Label v = 1; v < n; ++v) parents[static_cast<std::size_t>(v)] = ((v - 1) ^ 1) + 1;
  auto const source = testing::make_source("pairs", n, {});
  Stopwatch const watch;
  expect_broken(judge(*source, 0, parents), 1, "rule 1: the parents of vertex 1 lead into a cycle");
  EXPECT_LT(watch.seconds(), 1.0 * patience());
}

}  // namespace
}  // namespace brushfire
