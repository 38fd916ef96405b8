// The battery and random graphs over the ranks of a job, which ctest starts as 1, 2, 3 and 4: levels as the oracle has
// them, trees that the ranks judge together, results gathered on the first rank.
#include "exchange/job_wire.hpp"
#include "input/tuple_share.hpp"
#include "traverse/search_battery.hpp"

#include <gtest/gtest.h>

namespace brushfire {
namespace {

using testing::BatteryCase;
using testing::Expected;
using testing::search_on;

Graph build_on_all_ranks(const testing::SharedSource& source, bool directed, std::optional<std::uint64_t> threshold,
                         int devices)
{
  JobPlace const place = job_place();
  GraphOptions options{.directed = directed, .threshold = threshold, .threads = 1, .device = Device::cpu};
  options.devices = devices;
  options.spread = true;
  auto const own = place.ranks == 1 ? source : std::make_shared<TuplesOfRank>(source, place.rank, place.ranks);
  return build_graph(own, options, Progress::none());
}

void expect_right(const Graph& graph, const SearchOptions& way, const std::vector<Expected>& outcomes)
{
  SCOPED_TRACE(testing::describe({.directed = graph.facts().directed, .threshold = graph.facts().threshold}, way));
  Search search(graph, way);
  for (auto const& outcome : outcomes) {
    SCOPED_TRACE("root " + std::to_string(outcome.root));
    SearchResult const result = search.run(outcome.root);
    EXPECT_EQ(result.reached, outcome.oracle.reached);
    std::string const wrong = job_place().rank == 0 ? testing::difference(result, outcome, way.deterministic) : "";
    EXPECT_EQ(wrong, "");
    EXPECT_EQ(testing::trace_difference(result, way), "");
    Verdict const verdict = search.validate();
    EXPECT_EQ(verdict.witness, "");
    EXPECT_EQ(verdict.reached, result.reached);
    EXPECT_EQ(verdict.depth, result.depth);
    EXPECT_EQ(search.path_to(outcome.root), std::vector<Label>{outcome.root});
  }
}

std::vector<SearchOptions> ways()
{
  std::vector<SearchOptions> all{search_on(Device::cpu, std::nullopt, true, 1), search_on(Device::cpu, {}, false, 1)};
  all[1].wide_parents = true;
  all[1].uniquify = true;
  all[1].local_all2all = true;
  all[1].nonblocking_reduce = false;
  return all;
}

class MpiRanksBattery : public ::testing::TestWithParam<BatteryCase> {};

TEST_P(MpiRanksBattery, MatchesTheOracle)
{
  for (bool const directed : {false, true}) {
    auto const outcomes = testing::expected_outcomes(GetParam(), directed);
    for (auto const threshold : std::vector<std::optional<std::uint64_t>>{{}, 2})
      for (int const devices : {1, 2}) {
        Graph const graph = build_on_all_ranks(GetParam().source, directed, threshold, devices);
        EXPECT_EQ(graph.facts().vertices, outcomes.front().labels.size());
        for (auto const& way : ways()) expect_right(graph, way, outcomes);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, MpiRanksBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

TEST(MpiRanks, MatchTheOracleOnRandomGraphs)
{
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::RandomShape shape;
    shape.vertices = 1 + seed * 37 % 400;
    shape.edges = seed * 91 % 1500;
    shape.sparse_labels = seed % 3 == 0;
    shape.skewed = seed % 2 == 0;
    auto const source = testing::random_graph(seed, shape);
    auto const roots = testing::roots_of(*source);
    if (roots.empty()) continue;
    std::vector<Expected> const outcome{Expected(source, roots.back(), seed % 4 == 1)};
    expect_right(build_on_all_ranks(source, seed % 4 == 1, std::nullopt, 1 + static_cast<int>(seed % 2)),
                 ways()[seed % 2], outcome);
  }
}

}  // namespace
}  // namespace brushfire
