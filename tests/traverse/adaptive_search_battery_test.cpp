// The battery by the adaptive preset on CPUs: alone in every way it can be told to work, then over several devices that
// share a graph with delegates. Then what one device does level by level, against the rules asked by hand.
#include "input/generator.hpp"
#include "traverse/adaptive_policy.hpp"
#include "traverse/policy.hpp"
#include "traverse/search_battery.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <set>

namespace brushfire {
namespace {

using testing::BatteryCase;
using testing::build;
using testing::difference;
using testing::Expected;
using testing::search_on;

SearchOptions adaptive(std::optional<Direction> direction = std::nullopt, bool deterministic = false, int threads = 2)
{
  SearchOptions options = search_on(Device::cpu, direction, deterministic, threads);
  options.preset = Preset::adaptive;
  return options;
}

Graph build_plain(testing::SharedSource source, bool directed = false)
{
  return build(std::move(source), directed, std::nullopt, Device::cpu, 1, Preset::adaptive);
}

std::vector<SearchOptions> ways_in_parts()
{
  std::vector<SearchOptions> ways{adaptive(), adaptive(Direction::push), adaptive(Direction::pull),
                                  adaptive(std::nullopt, true)};
  ways[1].uniquify = true;
  ways[2].wide_parents = true;
  return ways;
}

class AdaptiveSearchBattery : public ::testing::TestWithParam<BatteryCase> {};

TEST_P(AdaptiveSearchBattery, AdaptsInEveryWay)
{
  for (int const threads : {1, 3}) {
    auto ways = testing::ways_to_adapt(Device::cpu);
    for (SearchOptions& way : ways) way.threads = threads;
    testing::matches_the_oracle(GetParam(), Device::cpu, {std::nullopt}, ways);
  }
}

TEST_P(AdaptiveSearchBattery, StopsAtTheDepthLimit)
{
  testing::stops_at_the_depth_limit(GetParam(), testing::ways_to_adapt_within_limits(Device::cpu), {std::nullopt});
}

TEST_P(AdaptiveSearchBattery, FindsThePathToATarget)
{
  for (auto const& way : testing::ways_to_adapt_within_limits(Device::cpu))
    testing::finds_the_path_to_a_target(GetParam(), way);
}

void match_the_oracle_in_parts(const BatteryCase& graph, std::initializer_list<int> device_counts)
{
  for (int const devices : device_counts) {
    SCOPED_TRACE(std::to_string(devices) + " devices");
    testing::matches_the_oracle(graph, Device::cpu, {std::nullopt, plain_threshold, 2}, ways_in_parts(), devices);
  }
}

TEST_P(AdaptiveSearchBattery, MatchesTheOracleInParts) { match_the_oracle_in_parts(GetParam(), {2, 3}); }
TEST_P(AdaptiveSearchBattery, MatchesTheOracleInLargerGroups) { match_the_oracle_in_parts(GetParam(), {7, 16}); }

TEST_P(AdaptiveSearchBattery, KeepsLimitsInParts)
{
  testing::stops_at_the_depth_limit(GetParam(), {adaptive(std::nullopt, true)}, {std::nullopt, 0}, 3);
  testing::finds_the_path_to_a_target(GetParam(), adaptive(), std::nullopt, 3);
}

INSTANTIATE_TEST_SUITE_P(Graphs, AdaptiveSearchBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

// Many threads on more vertices and longer lists than any one of them takes at a time.
void expect_right_in_every_way(const std::string& spec, bool directed)
{
  SCOPED_TRACE(spec);
  testing::SharedSource const source = open_generator(spec);
  Graph const graph = build_plain(source, directed);
  std::vector<Expected> outcomes;
  for (Label const root : random_sources(graph, 2, 1)) outcomes.emplace_back(source, root, directed);
  for (SearchOptions way : testing::ways_to_adapt(Device::cpu)) {
    way.threads = 4;
    testing::expect_outcomes(graph, way, outcomes);
  }
}

TEST(AdaptiveSearch, IsRightOnLargerGraphs)
{
  expect_right_in_every_way("kron:13", false);
  expect_right_in_every_way("kron:12", true);
  expect_right_in_every_way("grid:80x80", false);
}

// Its hubs have longer lists than one thread walks alone.
TEST(AdaptiveSearch, IsRightOnLongLists)
{
  expect_right_in_every_way("star:40000", false);
  std::vector<Edge> edges;  // two hubs with many common neighbours, and a path that enters at one of those
  for (Label v = 2; v < 30'000; ++v) {
    edges.push_back({0, v});
    if (v > 9'000) edges.push_back({1, v});
  }
  edges.push_back({29'999, 30'000});
  edges.push_back({30'000, 30'001});
  auto const source = testing::make_source("hubs", 30'002, edges);
  Graph const graph = build_plain(source);
  for (SearchOptions way : testing::ways_to_adapt(Device::cpu)) {
    way.threads = 3;
    testing::expect_outcomes(graph, way, {Expected(source, 30'001, false), Expected(source, 1, false)});
  }
}

// What the rules say from counts that the oracle has. A GPU has the same rules and the same counts.
TEST(AdaptiveSearch, FollowsTheRulesLevelByLevel)
{
  for (std::string const spec : {"kron:12", "uniform:11", "grid:50x50", "tail:9:300", "star:300"}) {
    SCOPED_TRACE(spec);
    testing::SharedSource const source = open_generator(spec);
    Graph const graph = build_plain(source);
    AdaptivePolicy const policy{{}, {}, graph.facts().edges_stored};
    Search search(graph, adaptive());
    for (Label const root : random_sources(graph, 3, 5)) {
      SearchResult const result = search.run(root);
      const Layout& layout = graph.data().layout();
      std::vector<std::uint64_t> entries(static_cast<std::size_t>(result.depth) + 1);
      for (Vertex v = 0; v < layout.vertices; ++v)
        if (result.levels[v] != unreached)
          entries[static_cast<std::size_t>(result.levels[v])] += layout.pushed(Subgraph::nn).length(v);
      bool after_pull = false;
      auto const records = result.trace->records();
      for (std::size_t i = 0; i < records.size() && records.size() < Trace::kept_whole; ++i) {
        AdaptiveLevel const level{entries[i], i > 0 ? entries[i - 1] : 0, after_pull};
        Direction const direction = policy.choose_direction(level);
        EXPECT_EQ(name_of(records[i].directions[0]), name_of(direction)) << "level " << i << ", root " << root;
        EXPECT_EQ(name_of(*records[i].queue), name_of(policy.choose_queue(direction, level))) << "level " << i;
        after_pull = direction == Direction::pull;
      }
    }
  }
}

// On a path each pull finds one vertex, and one thread that asks in the order of labels finds its child ahead. So the
// next pull has that one no more to ask, which would have seen its parent at once.
TEST(AdaptiveSearch, APullFindsWhatItHasJustFoundTheChildrenOf)
{
  auto const source = testing::make_source("path", 40, testing::path_edges(40));
  SearchOptions way = adaptive(Direction::pull, false, 1);
  auto const levels_when = [&](bool async) {
    way.async_pull = async;
    return Search(build_plain(source), way).run(0).trace->records();
  };
  auto const alone = levels_when(false), ahead = levels_when(true);
  ASSERT_EQ(alone.size(), 40u);
  ASSERT_EQ(ahead.size(), 40u);
  EXPECT_EQ(ahead[0].edges_checked, alone[0].edges_checked);
  for (std::size_t i = 1; i < 38; ++i) EXPECT_EQ(ahead[i].edges_checked + 1, alone[i].edges_checked) << "level " << i;
}

// What a level costs that does nothing must not grow with the graph.
TEST(AdaptiveSearch, SurvivesALongPath)
{
  std::uint64_t const vertices = 100'000;
  auto const source = testing::make_source("path", vertices, testing::path_edges(vertices));
  Graph const graph = build_plain(source);
  for (Label const root : {Label{0}, Label{50'000}})
    for (int const threads : {1, 2}) {
      Search search(graph, adaptive(std::nullopt, false, threads));
      SearchResult const result = search.run(root);
      EXPECT_EQ(difference(result, Expected(source, root, false), false), "");
      EXPECT_LT(result.seconds, 5);  // with a pass over all vertices in every level it would be minutes
    }
}

TEST(AdaptiveSearch, SeveralDevicesTurnByTheEntriesOfEachSubgraph)
{
  DirectionPolicy policy;
  policy.adaptive = true;
  SubgraphWork work;
  work.all_entries = 1000;
  for (Subgraph const kind : {Subgraph::dd, Subgraph::dn, Subgraph::nd})
    for (Direction const before : {Direction::push, Direction::pull}) {
      work.frontier_entries = 99;
      EXPECT_EQ(policy.choose(kind, work, before), Direction::push);
      work.frontier_entries = 100;
      EXPECT_EQ(policy.choose(kind, work, before), Direction::pull);
      work.frontier_entries = 0;
      EXPECT_EQ(policy.choose(kind, work, before), Direction::push);
    }
  work.frontier_entries = 1;
  policy.forced = Direction::pull;
  EXPECT_EQ(policy.choose(Subgraph::dd, work, Direction::push), Direction::pull);
}

// A search whose frontier grows to most of the graph and back: queues as they come, and a scan where a push follows a
// pull.
TEST(AdaptiveSearch, SeveralDevicesSayHowTheirQueuesWereMade)
{
  Graph const graph = build(open_generator("kron:13"), false, 16, Device::cpu, 3, Preset::adaptive);
  ASSERT_GT(graph.facts().delegates, 0u);
  Search search(graph, adaptive());
  auto const records = search.run(graph.largest_degree_vertex()).trace->records();
  EXPECT_EQ(records.front().queue, FrontierQueue::scan_free);
  std::set<FrontierQueue> seen;
  for (auto const& record : records) seen.insert(record.queue.value());
  EXPECT_TRUE(seen.contains(FrontierQueue::single_scan));
  EXPECT_FALSE(seen.contains(FrontierQueue::double_scan));
}

void expect_refused(const Graph& graph, const SearchOptions& way, const std::string& part)
{
  try {
    Search const search(graph, way);
    FAIL() << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(AdaptiveSearch, RefusesWhatItCannotDo)
{
  testing::SharedSource const source = open_generator("kron:8");
  expect_refused(build(source, false, 4), adaptive(), "was built with delegates");
  SearchOptions way = adaptive(Direction::push);
  way.queue = FrontierQueue::none;
  expect_refused(build_plain(source), way, "nothing to push from");
  Graph const in_parts = build(source, false, 4, Device::cpu, 2, Preset::adaptive);
  way = adaptive();
  way.queue = FrontierQueue::scan_free;
  expect_refused(in_parts, way, "on one device");
  way = adaptive();
  way.balance = PullBalance::warp;
  expect_refused(in_parts, way, "on one device");
  way = adaptive();
  way.async_pull = true;
  expect_refused(in_parts, way, "on one device");
}

TEST(AdaptiveSearch, GraphIsShared) { testing::shares_a_graph(Device::cpu, adaptive()); }

}  // namespace
}  // namespace brushfire
