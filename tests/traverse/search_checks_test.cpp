// The checks themselves, and that each of them can fail.
#include "traverse/search_checks.hpp"

#include "base/parallel.hpp"
#include "validate/validate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace brushfire::testing {

Expected::Expected(SharedSource edges, Label from, bool along_arrows, std::optional<std::int64_t> deepest)
    : source(std::move(edges)),
      labels(Labels::of_source(*source, Team{1})),
      root(from),
      directed(along_arrows),
      max_depth(deepest),
      oracle(oracle_search(*source, labels, root, directed, max_depth)),
      smallest_parents(labels.size(), no_label)
{
  std::vector<Edge> tuples(source->facts().edges);
  source->read(0, tuples);
  auto const offer = [&](Label parent, Label child) {
    Vertex const c = labels.vertex(child);
    std::int32_t const above = oracle.levels[labels.vertex(parent)];
    if (above == unreached || oracle.levels[c] != above + 1) return;
    Label& smallest = smallest_parents[c];
    if (smallest == no_label || parent < smallest) smallest = parent;
  };
  for (Edge const& edge : tuples) {
    offer(edge.source, edge.target);
    if (!directed) offer(edge.target, edge.source);
  }
  smallest_parents[labels.vertex(root)] = root;
}

std::string difference(const SearchResult& result, const Expected& expected, bool deterministic)
{
  if (result.root != expected.root) return fmt::format("root {}, not {}", result.root, expected.root);
  if (result.levels.size() != expected.labels.size()) return fmt::format("{} levels", result.levels.size());
  for (Vertex v = 0; v < expected.labels.size(); ++v)
    if (result.levels[v] != expected.oracle.levels[v])
      return fmt::format("vertex {} has level {}, not {}", expected.labels.label(v), result.levels[v],
                         expected.oracle.levels[v]);

  TreeRules const rules{expected.directed, expected.max_depth};
  Verdict const verdict =
      validate_tree(*expected.source, expected.labels, expected.root, result.parents, rules, Team{1}, Progress::none());
  if (!verdict.valid()) return verdict.witness;
  if (deterministic)
    for (Vertex v = 0; v < expected.labels.size(); ++v)
      if (result.parents[v] != expected.smallest_parents[v])
        return fmt::format("vertex {} has parent {}, not the smallest {}", expected.labels.label(v), result.parents[v],
                           expected.smallest_parents[v]);

  auto const& oracle = expected.oracle;
  if (result.reached != oracle.reached) return fmt::format("reached {}, not {}", result.reached, oracle.reached);
  if (result.depth != oracle.depth) return fmt::format("depth {}, not {}", result.depth, oracle.depth);
  // A limited tree has tuples with one end in it; what a search counts of those is its own affair.
  if (!expected.max_depth && result.nedge != oracle.nedge)
    return fmt::format("nedge {}, not {}", result.nedge, oracle.nedge);
  std::uint64_t discovered = 1;
  for (auto const& record : result.trace->records()) discovered += record.discovered;
  if (discovered != oracle.reached)
    return fmt::format("the trace discovers {} vertices, not {}", discovered, oracle.reached);
  return {};
}

std::string describe(const GraphOptions& graph, const SearchOptions& search)
{
  auto const threshold = !graph.threshold                      ? std::string("auto")
                         : *graph.threshold == plain_threshold ? std::string("plain")
                                                               : std::to_string(*graph.threshold);
  auto const direction = !search.direction ? "auto" : *search.direction == Direction::push ? "push" : "pull";
  std::string text = fmt::format("{}threshold {}, direction {}, {}, {} threads{}{}", graph.directed ? "directed, " : "",
                                 threshold, direction, name_of(search.device), search.threads,
                                 search.wide_parents ? ", wide" : "", search.deterministic ? ", deterministic" : "");
  if (search.preset == Preset::adaptive)
    text +=
        fmt::format(", adaptive, queue {}, balance {}, async pull {}", search.queue ? name_of(*search.queue) : "auto",
                    search.balance ? name_of(*search.balance) : "auto",
                    !search.async_pull   ? "auto"
                    : *search.async_pull ? "on"
                                         : "off");
  return text;
}

namespace {

// A triangle with a tail: 0 - 1, 0 - 2, 1 - 2, 1 - 3, 2 - 3.
struct Made {
  std::vector<Label> parents{0, 0, 0, 1};
  std::vector<std::int32_t> levels{0, 1, 1, 2};
  std::uint64_t reached = 4, nedge = 5, discovered = 3;
  std::int64_t depth = 2;

  std::string difference(bool deterministic = false) const
  {
    static Expected const expected(make_source("triangle", 4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}), 0, false);
    Trace trace;
    LevelRecord record;
    record.discovered = discovered;
    trace.add(record);
    SearchResult result;
    result.root = 0;
    result.nedge = nedge;
    result.reached = reached;
    result.depth = depth;
    result.parents = {parents.data(), parents.size()};
    result.levels = levels;
    result.trace = &trace;
    return testing::difference(result, expected, deterministic);
  }
};

TEST(SearchChecks, AcceptWhatIsRight)
{
  EXPECT_EQ(Made{}.difference(true), "");
  EXPECT_EQ((Made{.parents = {0, 0, 0, 2}}.difference()), "");
}

TEST(SearchChecks, EachCanFail)
{
  EXPECT_EQ((Made{.levels = {0, 1, 1, 1}}.difference()), "vertex 3 has level 1, not 2");
  EXPECT_EQ((Made{.parents = {0, 0, 0, 0}}.difference().substr(0, 7)), "rule 5:");
  EXPECT_EQ((Made{.parents = {0, 0, 0, 2}}.difference(true)), "vertex 3 has parent 2, not the smallest 1");
  EXPECT_EQ((Made{.reached = 3}.difference()), "reached 3, not 4");
  EXPECT_EQ((Made{.nedge = 4}.difference()), "nedge 4, not 5");
  EXPECT_EQ((Made{.discovered = 2}.difference()), "the trace discovers 3 vertices, not 4");
  EXPECT_EQ((Made{.depth = 3}.difference()), "depth 3, not 2");
}

}  // namespace

}  // namespace brushfire::testing
