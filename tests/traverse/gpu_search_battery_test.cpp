// The battery on the GPU: built on the host and copied, or built there; through every direction, width and choice of
// parents of the default preset and every choice of the adaptive one. Then larger graphs, level by level against the
// CPU engine.
#include "gpu.hpp"
#include "input/generator.hpp"
#include "traverse/search_battery.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace brushfire {
namespace {

using testing::BatteryCase;
using testing::build;
using testing::difference;
using testing::directions;
using testing::Expected;
using testing::thresholds;

SearchOptions on_gpu(std::optional<Direction> direction = std::nullopt, bool deterministic = false)
{
  return testing::search_on(Device::cuda, direction, deterministic);
}

SearchOptions adaptive(std::optional<Direction> direction = std::nullopt)
{
  SearchOptions options = on_gpu(direction);
  options.preset = Preset::adaptive;
  return options;
}

Graph build_plain(testing::SharedSource source, bool directed)
{
  GraphOptions options;
  options.directed = directed;
  options.device = Device::cuda;
  options.preset = Preset::adaptive;
  return build_graph(std::move(source), options, Progress::none());
}

class GpuSearchBattery : public testing::NeedsGpu<::testing::TestWithParam<BatteryCase>> {};

TEST_P(GpuSearchBattery, MatchesTheOracle)
{
  testing::matches_the_oracle(GetParam(), Device::cpu, thresholds, testing::ways_to_search(Device::cuda, {2}));
}

TEST_P(GpuSearchBattery, MatchesTheOracleWhereItWasBuiltThere)
{
  testing::matches_the_oracle(GetParam(), Device::cuda, thresholds,
                              {on_gpu(), on_gpu(Direction::push), on_gpu(Direction::pull, true)});
}

TEST_P(GpuSearchBattery, AdaptsInEveryWay)
{
  auto const ways = testing::ways_to_adapt(Device::cuda);
  for (bool const directed : {false, true}) {
    auto const outcomes = testing::expected_outcomes(GetParam(), directed);
    Graph const graph = build_plain(GetParam().source, directed);
    EXPECT_EQ(graph.facts().delegates, 0u);
    for (auto const& way : ways) testing::expect_outcomes(graph, way, outcomes);
  }
}

// The least that still runs every kernel over every graph: scripts/check_gpu.sh has it watched by tools that make a
// search thousands of times slower.
TEST_P(GpuSearchBattery, FindsOneTree)
{
  std::vector<Expected> const outcome{Expected(GetParam().source, GetParam().roots.front(), false)};
  Graph const separated = build(GetParam().source, false, 2, Device::cuda);
  for (auto const direction : directions) testing::expect_outcomes(separated, on_gpu(direction), outcome);
  Graph const plain = build_plain(GetParam().source, false);
  testing::expect_outcomes(plain, on_gpu(), outcome);
  testing::expect_outcomes(plain, adaptive(), outcome);
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuSearchBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

class GpuSearch : public testing::NeedsGpu<> {};

// The rest of the battery in one process each: starting on a GPU takes longer than searching these graphs.
TEST_F(GpuSearch, StopsAtTheDepthLimit)
{
  for (auto const& graph : testing::battery()) {
    SCOPED_TRACE(graph.name);
    testing::stops_at_the_depth_limit(
        graph, {on_gpu(std::nullopt, true), on_gpu(Direction::push, true), on_gpu(Direction::pull, true)});
    testing::stops_at_the_depth_limit(graph, testing::ways_to_adapt_within_limits(Device::cuda), {plain_threshold});
  }
}

TEST_F(GpuSearch, FindsThePathToATarget)
{
  for (auto const& graph : testing::battery()) {
    SCOPED_TRACE(graph.name);
    testing::finds_the_path_to_a_target(graph, on_gpu());
    for (auto const& way : testing::ways_to_adapt_within_limits(Device::cuda))
      testing::finds_the_path_to_a_target(graph, way, plain_threshold);
  }
}

void expect_valid_searches(const BatteryCase& battery_case, const Graph& graph, bool to_host)
{
  SearchOptions options = on_gpu();
  options.results_on_host = to_host;
  Search search(graph, options);
  for (Label const root : battery_case.roots) {
    SearchResult const result = search.run(root);
    EXPECT_EQ(result.seconds_to_host.has_value(), to_host);
    EXPECT_EQ(result.parents.size() > 0, to_host);
    Verdict const verdict = search.validate();
    EXPECT_EQ(verdict.witness, "");
    EXPECT_EQ(verdict.reached, result.reached);
    EXPECT_EQ(verdict.depth, result.depth);
    EXPECT_EQ(verdict.nedge, result.nedge);
  }
}

TEST_F(GpuSearch, ValidatesItself)
{
  for (auto const& battery_case : testing::battery()) {
    SCOPED_TRACE(battery_case.name);
    for (bool const directed : {false, true}) {
      for (Device const built_on : {Device::cpu, Device::cuda}) {
        Graph const graph = build(battery_case.source, directed, std::nullopt, built_on);
        for (bool const to_host : {false, true}) expect_valid_searches(battery_case, graph, to_host);
      }
    }
  }
}

// The rules are the same, and so are the counts they are asked with.
TEST_F(GpuSearch, AdaptsAsTheCpuDoes)
{
  for (auto const* spec : {"kron:14", "uniform:12", "grid:60x60", "tail:10:200"}) {
    SCOPED_TRACE(spec);
    Graph const graph = build_plain(open_generator(spec), false);
    SearchOptions on_cpu = adaptive();
    on_cpu.device = Device::cpu;
    Search here(graph, on_cpu), there(graph, adaptive());
    for (Label const root : random_sources(graph, 4, 2)) {
      auto const expected = here.run(root).trace->records(), found = there.run(root).trace->records();
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].directions, expected[i].directions) << "root " << root << ", level " << i;
        EXPECT_EQ(found[i].queue, expected[i].queue) << "root " << root << ", level " << i;
      }
    }
  }
}

void expect_as_on_the_cpu(const std::string& spec)
{
  SCOPED_TRACE(spec);
  testing::SharedSource const source = open_generator(spec);
  Graph const on_host = build(source, false, std::nullopt);
  auto const roots = random_sources(on_host, 4, 1);
  ASSERT_FALSE(roots.empty());
  Search reference(on_host, testing::search_on(Device::cpu));

  struct Copy {
    Graph graph;
    std::vector<SearchOptions> ways;
  };
  for (auto const& [graph, ways] :
       {Copy{on_host, {on_gpu(), on_gpu(Direction::push), on_gpu(Direction::pull)}},
        Copy{build(source, false, std::nullopt, Device::cuda), {on_gpu()}},
        Copy{build_plain(source, false), {adaptive(), adaptive(Direction::push), adaptive(Direction::pull)}}}) {
    for (auto const& way : ways) {
      SCOPED_TRACE(testing::describe({.threshold = graph.facts().threshold}, way));
      Search search(graph, way);
      for (Label const root : roots) {
        SearchResult const expected = reference.run(root);
        SearchResult const result = search.run(root);
        EXPECT_TRUE(
            std::equal(result.levels.begin(), result.levels.end(), expected.levels.begin(), expected.levels.end()))
            << "root " << root;
        EXPECT_EQ(result.reached, expected.reached);
        EXPECT_EQ(result.depth, expected.depth);
        EXPECT_EQ(result.nedge, expected.nedge);
        EXPECT_EQ(testing::trace_difference(result, way), "");
        EXPECT_EQ(search.validate().witness, "");
      }
    }
  }
}

TEST_F(GpuSearch, HasTheLevelsOfTheCpuOnSkewedGraphs)
{
  for (auto const* spec : {"kron:14", "powerlaw:20000:2.2", "star:5000"}) expect_as_on_the_cpu(spec);
}

TEST_F(GpuSearch, HasTheLevelsOfTheCpuOnFlatGraphs)
{
  for (auto const* spec : {"uniform:14", "grid:64x64", "complete:300"}) expect_as_on_the_cpu(spec);
}

TEST_F(GpuSearch, HasTheLevelsOfTheCpuOnLongGraphs)
{
  for (auto const* spec : {"path:3000", "tail:10:500", "cycle:2001"}) expect_as_on_the_cpu(spec);
}

// Frontiers of short lists that are too wide for one block, become uneven, and outlast the log of a launch.
TEST_F(GpuSearch, HasTheLevelsOfTheCpuOnWideGrids)
{
  for (auto const* spec : {"grid:600x600", "grid:200x4500"}) expect_as_on_the_cpu(spec);
  testing::SharedSource const source = open_generator("grid:500x500");
  Search search(build(source, false, std::nullopt), on_gpu());
  EXPECT_EQ(search.run(0, {.target = {}, .max_depth = 300}).reached, 301u * 302u / 2);
  search.run(0, {.target = 499 * 500 + 250, .max_depth = {}});
  EXPECT_EQ(search.path_to(499 * 500 + 250).size(), 499u + 250u + 1u);
}

// More levels than a trace keeps one by one, and than any buffer of records holds.
TEST_F(GpuSearch, SurvivesALongPath)
{
  std::uint64_t const vertices = 20'000;
  auto const source = testing::make_source("path", vertices, testing::path_edges(vertices));
  for (Label const root : {Label{0}, Label{10'000}}) {
    Expected const expected(source, root, false);
    for (auto const threshold : {thresholds[1], thresholds[2]})
      EXPECT_EQ(difference(Search(build(source, false, threshold), on_gpu()).run(root), expected, false), "");
    EXPECT_EQ(difference(Search(build_plain(source, false), adaptive()).run(root), expected, false), "");
  }
}

// The compiled reference code counts 16,775,818 edges in the giant component of scale 20 (GRAPH500.md).
TEST_F(GpuSearch, CountsTheEdgesOfTheReference)
{
  for (Device const built_on : {Device::cpu, Device::cuda}) {
    Search search(build(open_generator("kron:20"), false, std::nullopt, built_on), on_gpu());
    EXPECT_EQ(search.run(754405).nedge, 16'775'818u);
    Verdict const verdict = search.validate();
    EXPECT_EQ(verdict.witness, "");
    EXPECT_EQ(verdict.nedge, 16'775'818u);
  }
}

TEST_F(GpuSearch, IsTheSameEveryTimeWhenDeterministic)
{
  Graph const graph = build(open_generator("kron:12"), false, std::nullopt, Device::cuda);
  Label const root = graph.largest_degree_vertex();
  auto const parents_of = [&](const SearchOptions& options) {
    Search search(graph, options);
    SearchResult const result = search.run(root);
    std::vector<Label> parents(result.parents.size());
    for (std::size_t v = 0; v < parents.size(); ++v) parents[v] = result.parents[v];
    return parents;
  };
  auto const expected = parents_of(testing::search_on(Device::cpu, {}, true));
  for (auto const direction : directions) EXPECT_EQ(parents_of(on_gpu(direction, true)), expected);
}

TEST_F(GpuSearch, RefusesAnUnknownRoot) { testing::refuses_an_unknown_root(on_gpu()); }

TEST_F(GpuSearch, GraphIsShared) { testing::shares_a_graph(Device::cuda, on_gpu()); }

}  // namespace
}  // namespace brushfire
