// The battery over several devices on GPUs, which on one GPU share it: the same levels as the oracle, whoever has which
// vertex. Then larger graphs, level by level against the same devices on the CPU.
#include "gpu.hpp"
#include "input/generator.hpp"
#include "traverse/search_battery.hpp"

#include <gtest/gtest.h>

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
  std::vector<SearchOptions> ways{search_on(Device::cuda), search_on(Device::cuda, Direction::push),
                                  search_on(Device::cuda, Direction::pull), search_on(Device::cuda, std::nullopt, true),
                                  search_on(Device::cuda)};
  ways[1].uniquify = true;
  ways[2].wide_parents = true;
  ways[4].preset = Preset::delegates;
  return ways;
}

class GpuPartsBattery : public testing::NeedsGpu<::testing::TestWithParam<BatteryCase>> {};

// All ways on three devices; the numbers of devices with two of them, because every Search allocates on every device.
TEST_P(GpuPartsBattery, MatchesTheOracle)
{
  testing::matches_the_oracle(GetParam(), Device::cpu, {thresholds[0], plain_threshold, 2}, ways_to_search_in_parts(),
                              3);
}

TEST_P(GpuPartsBattery, MatchesTheOracleOnAnyNumberOfDevices)
{
  for (int const devices : {2, 4, 7, 8}) {
    SCOPED_TRACE(std::to_string(devices) + " devices");
    testing::matches_the_oracle(GetParam(), Device::cpu, {thresholds[0], plain_threshold, 2},
                                {search_on(Device::cuda), search_on(Device::cuda, std::nullopt, true)}, devices);
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

TEST_F(GpuParts, FindThePathToATarget)
{
  for (auto const& graph : testing::battery()) {
    SCOPED_TRACE(graph.name);
    for (auto const threshold : {thresholds[0], thresholds[2]})
      testing::finds_the_path_to_a_target(graph, search_on(Device::cuda), threshold, 3);
  }
}

// Lists long enough to be cut, bins of more than one block, limits between push and pull: what small graphs never see.
TEST_F(GpuParts, AgreeWithTheSamePartsOnTheCpu)
{
  for (auto const threshold : std::vector<std::optional<std::uint64_t>>{std::nullopt, plain_threshold, 16}) {
    for (bool const directed : {false, true}) {
      Graph const graph = build(open_generator("kron:15"), directed, threshold, Device::cpu, 3);
      auto const roots = random_sources(graph, 3, 11);
      ASSERT_EQ(roots.size(), 3u);
      for (auto const preset : {Preset::automatic, Preset::delegates}) {
        for (auto const direction : testing::directions) {
          SearchOptions on_gpu = search_on(Device::cuda, direction, true), on_cpu = search_on(Device::cpu);
          on_gpu.preset = preset;
          on_gpu.uniquify = on_cpu.uniquify = direction == Direction::push;
          on_cpu.deterministic = true;
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
              // Vertices that travel do not depend on the direction: far lists are always pushed.
              EXPECT_EQ(levels[i].bytes_vertices, others[i].bytes_vertices);
              EXPECT_EQ(levels[i].bytes_masks, others[i].bytes_masks);
            }
          }
        }
      }
    }
  }
}

// Parents that come from questions and answers, not from comparing all: they need not be the smallest, only right.
TEST_F(GpuParts, FindValidTreesInLargerGraphs)
{
  for (std::string const spec : {"kron:16", "grid:300x200", "uniform:14"}) {
    for (int const devices : {2, 5}) {
      SCOPED_TRACE(spec + " on " + std::to_string(devices));
      Graph const graph = build(open_generator(spec), false, std::nullopt, Device::cpu, devices);
      Search search(graph, search_on(Device::cuda));
      for (Label const root : random_sources(graph, 2, 5)) {
        search.run(root);
        Verdict const verdict = search.validate();
        EXPECT_TRUE(verdict.valid()) << verdict.witness;
      }
    }
  }
}

}  // namespace
}  // namespace brushfire
