// The tests of the validator, whoever judges: each is run for every Judge that is instantiated. And what judges are
// tested with.
#pragma once

#include "gpu.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"
#include "validate/oracle.hpp"
#include "validate/validate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace brushfire::testing {

using Parents = std::vector<Label>;

struct Judge {
  std::string where;
  bool needs_gpu = false;
  std::function<Verdict(const EdgeSource&, Label root, const Parents&, const TreeRules&, int threads)> judge;
  double patience = 1;  // how many times as long as the host it may take
};
inline void PrintTo(const Judge& judge, std::ostream* out) { *out << judge.where; }

class Validate : public ::testing::TestWithParam<Judge> {
 protected:
  void SetUp() override
  {
    if (GetParam().needs_gpu) require_gpu();
  }

  static Verdict judge(const EdgeSource& source, Label root, const Parents& parents, const TreeRules& rules = {},
                       int threads = 1)
  {
    return GetParam().judge(source, root, parents, rules, threads);
  }

  static double patience() { return GetParam().patience; }
};

inline void expect_equal(const Verdict& found, const Verdict& expected)
{
  EXPECT_EQ(found.broken_rule, expected.broken_rule);
  EXPECT_EQ(found.witness, expected.witness);
  EXPECT_EQ(found.reached, expected.reached);
  EXPECT_EQ(found.depth, expected.depth);
  EXPECT_EQ(found.nedge, expected.nedge);
}

// A random valid tree: among the neighbours one level up, any may be the parent.
inline Parents random_tree(const EdgeSource& source, Label root, bool directed, std::optional<std::int64_t> max_depth,
                           std::uint64_t seed)
{
  Labels const labels = Labels::of_source(source, Team{1});
  auto const levels = oracle_search(source, labels, root, directed, max_depth).levels;
  std::vector<Edge> edges(source.facts().edges);
  source.read(0, edges);
  std::shuffle(edges.begin(), edges.end(), std::mt19937_64(seed));
  Parents parents(labels.size(), no_label);
  parents[*labels.find(root)] = root;
  auto const adopt = [&](Label parent, Label child) {
    Vertex const p = *labels.find(parent);
    Vertex const c = *labels.find(child);
    if (levels[p] != unreached && levels[c] == levels[p] + 1) parents[c] = parent;
  };
  for (Edge const& edge : edges) {
    adopt(edge.source, edge.target);
    if (!directed) adopt(edge.target, edge.source);
  }
  return parents;
}

}  // namespace brushfire::testing
