// The battery over several devices on GPUs, which on one GPU share it: the same levels as the oracle, whoever has which
// vertex, and whether the parts were built there or on the host. Then larger graphs, level by level against the same
// devices on the CPU.
#include "engine/graph_data.hpp"
#include "engine/parted_graph.hpp"
#include "gpu.hpp"
#include "input/generator.hpp"
#include "traverse/search_battery.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace brushfire {
namespace {

using testing::BatteryCase;
using testing::build;
using testing::search_on;
using testing::thresholds;

// Every direction, width, choice of parents and rule, each at least once.
std::vector<SearchOptions> ways_to_search_in_parts()
{
  std::vector<SearchOptions> ways{search_on(Device::cuda),
                                  search_on(Device::cuda, Direction::push),
                                  search_on(Device::cuda, Direction::pull),
                                  search_on(Device::cuda, std::nullopt, true),
                                  search_on(Device::cuda),
                                  search_on(Device::cuda)};
  ways[1].uniquify = true;
  ways[2].wide_parents = true;
  ways[4].preset = Preset::delegates;
  ways[5].preset = Preset::adaptive;
  return ways;
}

class GpuPartsBattery : public testing::NeedsGpu<::testing::TestWithParam<BatteryCase>> {};

// All ways on three devices; the numbers of devices with every preset, because every Search allocates on every device.
TEST_P(GpuPartsBattery, MatchesTheOracle)
{
  testing::matches_the_oracle(GetParam(), Device::cuda, {thresholds[0], plain_threshold, 2}, ways_to_search_in_parts(),
                              3);
}

TEST_P(GpuPartsBattery, MatchesTheOracleOnAnyNumberOfDevices)
{
  // The first one says what the graph is built for; left to itself a CPU may build it without delegates.
  std::vector<SearchOptions> ways(3, search_on(Device::cuda));
  ways.push_back(search_on(Device::cuda, std::nullopt, true));
  ways[0].preset = Preset::delegates;
  ways[1].preset = Preset::adaptive;
  for (int const devices : {2, 4, 5, 7, 8, 16}) {
    SCOPED_TRACE(std::to_string(devices) + " devices");
    Device const built_on = devices == 4 ? Device::cpu : Device::cuda;
    testing::matches_the_oracle(devices < 5 ? GetParam() : testing::from_few_roots(GetParam()), built_on,
                                {thresholds[0], plain_threshold, 2}, ways, devices);
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuPartsBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

class GpuParts : public testing::NeedsGpu<> {};

TEST_F(GpuParts, StopAtTheDepthLimit)
{
  for (auto const& graph : testing::battery()) {
    SCOPED_TRACE(graph.name);
    testing::stops_at_the_depth_limit(graph, {search_on(Device::cuda, std::nullopt, true)},
                                      {thresholds[0], thresholds[2]}, 3);
  }
}

TEST_F(GpuParts, FindParentsWithoutKeepingLevels)
{
  for (auto const& graph : testing::battery()) {
    SCOPED_TRACE(graph.name);
    testing::finds_parents_without_keeping_levels(graph, Device::cuda, 3);
  }
}

TEST_F(GpuParts, FindThePathToATarget)
{
  for (auto const& graph : testing::battery()) {
    SCOPED_TRACE(graph.name);
    for (auto const threshold : {thresholds[0], thresholds[2]})
      testing::finds_the_path_to_a_target(graph, search_on(Device::cuda), threshold, 3);
  }
}

// Lists long enough to be cut, bins of more than one block, limits between push and pull: what small graphs never see.
// The CPU searches what the GPUs built.
TEST_F(GpuParts, AgreeWithTheSamePartsOnTheCpu)
{
  for (auto const threshold : std::vector<std::optional<std::uint64_t>>{std::nullopt, plain_threshold, 16}) {
    for (bool const directed : {false, true}) {
      Graph const graph = build(open_generator("kron:15"), directed, threshold, Device::cuda, 3);
      auto const roots = random_sources(graph, 3, 11);
      ASSERT_EQ(roots.size(), 3u);
      for (auto const preset : {Preset::automatic, Preset::delegates, Preset::adaptive}) {
        for (auto const direction : testing::directions) {
          SearchOptions on_gpu = search_on(Device::cuda, direction, true);
          SearchOptions on_cpu = search_on(Device::cpu, direction, true);
          on_gpu.preset = preset;
          on_gpu.uniquify = on_cpu.uniquify = direction == Direction::push;
          SCOPED_TRACE(testing::describe({.directed = directed, .threshold = threshold}, on_gpu));
          Search there(graph, on_gpu), here(graph, on_cpu);
          for (Label const root : roots) {
            SearchResult const found = there.run(root), expected = here.run(root);
            EXPECT_EQ(found.reached, expected.reached);
            EXPECT_EQ(found.depth, expected.depth);
            EXPECT_EQ(found.nedge, expected.nedge);
            EXPECT_TRUE(std::equal(found.levels.begin(), found.levels.end(), expected.levels.begin()));
            std::uint64_t differing = 0;
            for (std::uint64_t v = 0; v < expected.parents.size(); ++v)
              if (found.parents[v] != expected.parents[v]) ++differing;
            EXPECT_EQ(differing, 0u);
            Verdict const verdict = there.validate();
            EXPECT_TRUE(verdict.valid()) << verdict.witness;
            auto const levels = found.trace->records(), others = expected.trace->records();
            ASSERT_EQ(levels.size(), others.size());
            for (std::size_t i = 0; i < levels.size(); ++i) {
              EXPECT_EQ(levels[i].frontier, others[i].frontier);
              EXPECT_EQ(levels[i].discovered, others[i].discovered);
              if (!direction) continue;  // GPUs choose by a rule of their own
              EXPECT_EQ(levels[i].bytes_vertices, others[i].bytes_vertices);
              EXPECT_EQ(levels[i].bytes_masks, others[i].bytes_masks);
              if (direction == Direction::push) {  // a GPU pushes nothing where nobody waits
                EXPECT_LE(levels[i].edges_checked, others[i].edges_checked);
              }
            }
          }
        }
      }
    }
  }
}

class GpuRenumberedParts : public testing::NeedsGpu<> {};

// Devices that know only their own labels, as those of several ranks do, and pieces that may come from any device.
TEST_F(GpuRenumberedParts, NameEachOtherTheirParents)
{
  for (auto const& battery_case : testing::battery()) {
    if (battery_case.source->facts().declared) continue;
    SCOPED_TRACE(battery_case.name);
    for (bool const on_gpus : {false, true}) {
      auto parts = std::make_shared<PartedGraph>(*battery_case.source, nullptr, 3,
                                                 PartedGraph::Options{{false, 2}, on_gpus}, Team{1}, Progress::none());
      auto data = std::make_shared<GraphData>();
      data->facts.vertices = parts->vertices();
      data->facts.devices = 3;
      data->hold(std::shared_ptr<const PartedGraph>(parts));
      data->source = battery_case.source;
      Graph const graph(data);
      for (bool const deterministic : {false, true}) {
        SearchOptions way = search_on(Device::cuda, std::nullopt, deterministic);
        for (bool const joined : {false, true}) {
          way.local_all2all = joined;
          testing::expect_outcomes(graph, way, testing::expected_outcomes(battery_case, false));
        }
      }
    }
  }
}

// The same answers wherever the rows are. CPUs by themselves might cut some of these graphs into blocks.
TEST_F(GpuParts, AnswerAsThePartsOfTheHostDo)
{
  for (auto const& graph : testing::battery()) {
    SCOPED_TRACE(graph.name);
    for (auto const threshold : thresholds) {
      Graph const there = build(graph.source, false, threshold, Device::cuda, 3, Preset::delegates);
      Graph const here = build(graph.source, false, threshold, Device::cpu, 3, Preset::delegates);
      EXPECT_EQ(there.facts().entries, here.facts().entries);
      EXPECT_EQ(there.facts().bytes, here.facts().bytes);
      EXPECT_EQ(there.facts().subgraph_bytes, here.facts().subgraph_bytes);
      EXPECT_EQ(there.facts().self_loops, here.facts().self_loops);
      EXPECT_EQ(there.facts().threshold, here.facts().threshold);
      if (here.facts().vertices == 0) continue;
      EXPECT_EQ(there.largest_degree_vertex(), here.largest_degree_vertex());
      for (std::uint64_t v = 0; v < here.data().indices(); ++v)
        EXPECT_EQ(there.data().input_degree(v), here.data().input_degree(v));
    }
  }
}

// Parents that come from questions and answers, not from comparing all: they need not be the smallest, only right. When
// all levels are pulled, some delegates are found by devices that they do not live on.
TEST_F(GpuParts, FindValidTreesInLargerGraphs)
{
  for (std::string const spec : {"kron:16", "grid:300x200", "uniform:14"}) {
    for (int const devices : {2, 5}) {
      SCOPED_TRACE(spec + " on " + std::to_string(devices));
      Graph const graph = build(open_generator(spec), false, std::nullopt, Device::cuda, devices);
      for (std::optional<Direction> const direction : {std::optional<Direction>(), std::optional(Direction::pull)}) {
        Search search(graph, search_on(Device::cuda, direction));
        for (Label const root : random_sources(graph, 2, 5)) {
          search.run(root);
          Verdict const verdict = search.validate();
          EXPECT_TRUE(verdict.valid()) << verdict.witness;
        }
      }
    }
  }
}

}  // namespace
}  // namespace brushfire
