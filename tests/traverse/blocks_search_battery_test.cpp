// The battery over devices that have blocks of a plain graph: ring, grid and butterfly. The same levels as the oracle,
// whoever has which edge; and as many messages as their papers say.
#include "traverse/search_battery.hpp"

#include <gtest/gtest.h>

namespace brushfire {
namespace {

using testing::BatteryCase;
using testing::search_on;

using testing::block_presets;
using testing::ways_in_blocks;

class BlocksSearchBattery : public ::testing::TestWithParam<BatteryCase> {};

TEST_P(BlocksSearchBattery, MatchesTheOracle) { testing::blocks_match_the_oracle(GetParam(), Device::cpu, {1, 2, 3}); }
TEST_P(BlocksSearchBattery, MatchesTheOracleInLargerGroups)
{
  testing::blocks_match_the_oracle(GetParam(), Device::cpu, {4, 7, 8, 16});
}

TEST_P(BlocksSearchBattery, StopsAtTheDepthLimit)
{
  for (Preset const preset : block_presets)
    testing::stops_at_the_depth_limit(GetParam(), ways_in_blocks(preset, Device::cpu), {std::nullopt}, 3);
}

TEST_P(BlocksSearchBattery, FindsThePathToATarget)
{
  for (Preset const preset : block_presets)
    testing::finds_the_path_to_a_target(GetParam(), ways_in_blocks(preset, Device::cpu).front(), std::nullopt, 4);
}

INSTANTIATE_TEST_SUITE_P(Graphs, BlocksSearchBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

TEST(BlocksSearch, MatchesTheOracleOnRandomGraphsInLargerGroups)
{
  testing::blocks_match_the_oracle_on_random_graphs(Device::cpu, 200);
}

Graph kronecker(Preset preset, int devices, std::optional<GridShape> grid = std::nullopt)
{
  GraphOptions options{.threads = 1, .device = Device::cpu, .preset = preset, .grid = grid};
  options.devices = devices;
  return Graph::open("kron:9", options);
}

std::vector<LevelRecord> levels_of(const Graph& graph, const SearchOptions& way)
{
  Search search(graph, way);
  SearchResult const result = search.run(graph.largest_degree_vertex());
  EXPECT_TRUE(search.validate().valid()) << search.validate().witness;
  auto const levels = result.trace->records();
  EXPECT_GT(levels.size(), 3u);
  return levels;
}

int rounds_of(int devices, int fanout)
{
  int rounds = 0;
  for (long held = 1; held < devices; held *= std::max(2, fanout)) ++rounds;
  return rounds;
}

TEST(ButterflyMessages, AreAtMostFanoutTimesRounds)
{
  for (int const devices : {2, 3, 4, 5, 7, 8, 9, 16})
    for (int const fanout : {1, 2, 3, 4, 8}) {
      SCOPED_TRACE(std::to_string(devices) + " devices, fan-out " + std::to_string(fanout));
      SearchOptions way = search_on(Device::cpu);
      way.preset = Preset::butterfly;
      way.fanout = fanout;
      auto const most = static_cast<std::uint64_t>(devices * fanout * rounds_of(devices, fanout));
      for (const LevelRecord& level : levels_of(kronecker(Preset::butterfly, devices), way)) {
        EXPECT_LE(level.messages, most);
        EXPECT_TRUE(fanout > 1 || level.messages == most) << "one partner in each round";
      }
    }
}

TEST(RingMessages, AreOneToEveryOtherDevice)
{
  for (int const devices : {1, 2, 3, 4, 7, 8}) {
    SCOPED_TRACE(devices);
    SearchOptions way = search_on(Device::cpu);
    way.preset = Preset::ring;
    for (bool const deterministic : {false, true}) {  // then parents are asked for at the end, and counted apart
      way.deterministic = deterministic;
      auto const levels = levels_of(kronecker(Preset::ring, devices), way);
      for (const LevelRecord& level : levels)
        EXPECT_EQ(level.messages, static_cast<std::uint64_t>(devices * (devices - 1)));
      EXPECT_EQ(levels.back().messages_parents > 0, deterministic && devices > 1);
    }
  }
}

TEST(GridMessages, StayInRowsAndColumns)
{
  for (GridShape const shape : {GridShape{1, 6}, {6, 1}, {2, 3}, {3, 2}, {4, 4}}) {
    SCOPED_TRACE(std::to_string(shape.rows) + "x" + std::to_string(shape.columns));
    int const devices = shape.rows * shape.columns;
    SearchOptions way = search_on(Device::cpu);
    way.preset = Preset::grid;
    auto const levels = levels_of(kronecker(Preset::grid, devices, shape), way);
    for (const LevelRecord& level : levels)
      EXPECT_EQ(level.messages, static_cast<std::uint64_t>(devices * (shape.rows - 1 + shape.columns - 1)));
  }
}

TEST(Blocks, RefuseAnotherPreset)
{
  Graph const graph = kronecker(Preset::ring, 2);
  for (Preset const preset : {Preset::grid, Preset::delegates}) {
    SearchOptions way = search_on(Device::cpu);
    way.preset = preset;
    EXPECT_THROW(Search(graph, way), Error);
  }
  EXPECT_THROW(kronecker(Preset::grid, 4, GridShape{3, 2}), Error);
}

// Without hubs, and with more edges than devices would want to send one by one; see docs/choosing.md.
TEST(Blocks, AreChosenByTheDegrees)
{
  auto const chosen = [](const char* spec, int devices, bool keep_delegates = false) {
    GraphOptions options{.threads = 1, .device = Device::cpu, .keep_delegates = keep_delegates};
    options.devices = devices;
    Graph const graph = Graph::open(spec, options);
    Search search(graph, search_on(Device::cpu));  // automatic searches whatever it has built
    search.run(graph.largest_degree_vertex());
    EXPECT_TRUE(search.validate().valid());
    std::string const choice = describe_config(graph, search_on(Device::cpu)).choice;
    EXPECT_FALSE(choice.empty());
    return graph.facts().preset;
  };
  EXPECT_EQ(chosen("uniform:11", 4), Preset::butterfly);
  EXPECT_EQ(chosen("uniform:11", 60), Preset::grid);
  EXPECT_EQ(chosen("uniform:11", 4, true), Preset::automatic);
  EXPECT_EQ(chosen("uniform:11", 1), Preset::automatic);
  EXPECT_EQ(chosen("kron:11", 4), Preset::automatic);
  EXPECT_EQ(chosen("grid:40x40", 4), Preset::automatic);
  EXPECT_EQ(chosen("path:100", 4), Preset::automatic);
}

TEST(Blocks, FindTheVertexOfLargestDegree)
{
  GraphOptions whole{.threads = 1, .device = Device::cpu};
  Label const largest = Graph::open("kron:9", whole).largest_degree_vertex();
  for (Preset const preset : block_presets)
    for (int const devices : {1, 4}) EXPECT_EQ(kronecker(preset, devices).largest_degree_vertex(), largest);
}

}  // namespace
}  // namespace brushfire
