// The battery over devices that have blocks of a plain graph: ring, grid and butterfly. The same levels as the oracle,
// whoever has which edge; and as many messages as their papers say.
#include "traverse/search_battery.hpp"

#include <gtest/gtest.h>

namespace brushfire {
namespace {

using testing::BatteryCase;
using testing::search_on;

constexpr auto presets = {Preset::ring, Preset::grid, Preset::butterfly};

std::vector<SearchOptions> ways_of(Preset preset)
{
  std::vector<SearchOptions> ways{search_on(Device::cpu), search_on(Device::cpu, Direction::push, true)};
  if (preset != Preset::ring) {
    ways.push_back(search_on(Device::cpu, Direction::pull));
    ways.push_back(search_on(Device::cpu, std::nullopt, true));
  }
  ways.back().wide_parents = true;
  for (SearchOptions& way : ways) way.preset = preset;
  ways.front().fanout = 1;
  ways.back().fanout = 3;
  return ways;
}

class BlocksSearchBattery : public ::testing::TestWithParam<BatteryCase> {};

void match_the_oracle(const BatteryCase& graph, std::initializer_list<int> device_counts)
{
  for (Preset const preset : presets)
    for (int const devices : device_counts) {
      SCOPED_TRACE(std::string(name_of(preset)) + ", devices: " + std::to_string(devices));
      testing::matches_the_oracle(graph, Device::cpu, {std::nullopt}, ways_of(preset), devices);
    }
}

TEST_P(BlocksSearchBattery, MatchesTheOracle) { match_the_oracle(GetParam(), {1, 2, 3}); }
TEST_P(BlocksSearchBattery, MatchesTheOracleInLargerGroups) { match_the_oracle(GetParam(), {4, 7, 8, 16}); }

TEST_P(BlocksSearchBattery, StopsAtTheDepthLimit)
{
  for (Preset const preset : presets) testing::stops_at_the_depth_limit(GetParam(), ways_of(preset), {std::nullopt}, 3);
}

TEST_P(BlocksSearchBattery, FindsThePathToATarget)
{
  for (Preset const preset : presets)
    testing::finds_the_path_to_a_target(GetParam(), ways_of(preset).front(), std::nullopt, 4);
}

INSTANTIATE_TEST_SUITE_P(Graphs, BlocksSearchBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

TEST(BlocksSearch, MatchesTheOracleOnRandomGraphsInLargerGroups)
{
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::RandomShape shape;
    shape.vertices = 1 + seed * 37 % 500;
    shape.edges = seed * 91 % 1700;
    shape.sparse_labels = seed % 3 == 0;
    shape.skewed = seed % 2 == 0;
    auto const source = testing::random_graph(seed, shape);
    auto const roots = testing::roots_of(*source);
    if (roots.empty()) continue;
    bool const directed = seed % 4 == 1;
    std::vector<testing::Expected> const outcome{testing::Expected(source, roots.back(), directed)};
    for (Preset const preset : presets) {
      int const devices = 1 + static_cast<int>(seed % 16);
      SCOPED_TRACE(std::string(name_of(preset)) + ", devices: " + std::to_string(devices) +
                   ", seed: " + std::to_string(seed));
      auto const ways = ways_of(preset);
      testing::expect_outcomes(testing::build(source, directed, std::nullopt, Device::cpu, devices, preset),
                               ways[seed % ways.size()], outcome);
    }
  }
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
        EXPECT_EQ(level.bytes_parents, 0u) << "parents are found without asking";
      }
    }
}

TEST(RingMessages, AreOneToEveryOtherDevice)
{
  for (int const devices : {1, 2, 3, 4, 7, 8}) {
    SCOPED_TRACE(devices);
    SearchOptions way = search_on(Device::cpu);
    way.preset = Preset::ring;
    for (const LevelRecord& level : levels_of(kronecker(Preset::ring, devices), way))
      EXPECT_EQ(level.messages, static_cast<std::uint64_t>(devices * (devices - 1)));
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
    for (std::size_t i = 0; i + 1 < levels.size(); ++i)  // the last one has the parents too
      EXPECT_EQ(levels[i].messages, static_cast<std::uint64_t>(devices * (shape.rows - 1 + shape.columns - 1)));
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
  for (Preset const preset : presets)
    for (int const devices : {1, 4}) EXPECT_EQ(kronecker(preset, devices).largest_degree_vertex(), largest);
}

}  // namespace
}  // namespace brushfire
