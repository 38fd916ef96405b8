// The battery and random graphs over the ranks of a job, which ctest starts as 1, 2, 3 and 4: levels as the oracle has
// them, trees that the ranks judge together, results gathered on the first rank. Then the same on GPUs, over every
// transport that ranks which share one can use; one rank, which has nobody to talk to, uses NCCL.
#include "exchange/job_wire.hpp"
#include "gpu.hpp"
#include "input/generator.hpp"
#include "input/tuple_share.hpp"
#include "traverse/search_battery.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

namespace brushfire {
namespace {

using testing::BatteryCase;
using testing::block_presets;
using testing::Expected;
using testing::search_on;

Graph build_on_all_ranks(const testing::SharedSource& source, bool directed, std::optional<std::uint64_t> threshold,
                         int devices, Device device = Device::cpu, Preset preset = Preset::automatic)
{
  JobPlace const place = job_place();
  GraphOptions options{.directed = directed, .threshold = threshold, .threads = 1, .device = device};
  options.devices = devices;
  options.preset = preset;
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
    EXPECT_EQ(testing::trace_difference(result, way, {}, {.in_parts = graph.data().is_in_parts()}), "");
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

TEST_P(MpiRanksBattery, MatchesTheOracleInBlocks)
{
  for (bool const directed : {false, true}) {
    auto const outcomes = testing::expected_outcomes(GetParam(), directed);
    for (Preset const preset : block_presets)
      for (int const devices : {1, 2}) {
        SearchOptions way = search_on(Device::cpu, std::nullopt, devices == 1, 1);
        way.preset = preset;
        way.fanout = devices;
        expect_right(build_on_all_ranks(GetParam().source, directed, std::nullopt, devices, Device::cpu, preset), way,
                     outcomes);
      }
  }
}

TEST_P(MpiRanksBattery, MatchesTheOracleAdaptively)
{
  for (bool const directed : {false, true}) {
    auto const outcomes = testing::expected_outcomes(GetParam(), directed);
    for (int const devices : {1, 2}) {
      auto all = ways();
      for (SearchOptions& way : all) way.preset = Preset::adaptive;
      Graph const graph =
          build_on_all_ranks(GetParam().source, directed, devices, devices, Device::cpu, Preset::adaptive);
      for (auto const& way : all) expect_right(graph, way, outcomes);
    }
  }
}

void match_the_oracle_on_random_graphs(std::uint64_t graphs, Preset preset, Device device = Device::cpu)
{
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
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
    SearchOptions way = ways()[seed % 2];
    way.preset = preset;
    way.device = device;
    expect_right(
        build_on_all_ranks(source, seed % 4 == 1, std::nullopt, 1 + static_cast<int>(seed % 2), device, way.preset),
        way, outcome);
  }
}

TEST(MpiRanks, MatchTheOracleOnRandomGraphs) { match_the_oracle_on_random_graphs(200, Preset::automatic); }

TEST(MpiRanks, MatchTheOracleOnRandomGraphsAdaptively) { match_the_oracle_on_random_graphs(200, Preset::adaptive); }

TEST(MpiRanks, MatchTheOracleOnRandomGraphsByThePublishedRule)
{
  match_the_oracle_on_random_graphs(200, Preset::delegates);
}

TEST(MpiRanks, MatchTheOracleOnRandomGraphsInBlocks)
{
  for (Preset const preset : block_presets) match_the_oracle_on_random_graphs(200, preset);
}

class OverTransport {
 public:
  explicit OverTransport(const char* transport) { setenv("BRUSHFIRE_TRANSPORT", transport, 1); }
  OverTransport(const OverTransport&) = delete;
  OverTransport& operator=(const OverTransport&) = delete;
  ~OverTransport() { unsetenv("BRUSHFIRE_TRANSPORT"); }
};

// A transport that cannot be is a usage error, and a graph on GPUs is the way to ask.
bool can_use(const char* transport)
{
  OverTransport const over(transport);
  try {
    build_on_all_ranks(testing::random_graph(1, {}), false, std::nullopt, 2, Device::cuda);
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    std::cerr << error.what() << '\n';
    return false;
  }
}

std::vector<const char*> transports_here()
{
  static std::vector<const char*> const usable = [] {
    std::vector<const char*> all;
    for (const char* const transport : {"staged", "ipc", "mpi", "nccl"})
      if ((job_place().ranks > 1 || transport == std::string("nccl")) && can_use(transport)) all.push_back(transport);
    return all;
  }();
  return usable;
}

std::vector<SearchOptions> ways_on_gpus()
{
  std::vector<SearchOptions> all{search_on(Device::cuda, std::nullopt, true, 1), search_on(Device::cuda, {}, false, 1)};
  all[1].wide_parents = true;
  all[1].local_all2all = true;
  return all;
}

class GpuRanksBattery : public testing::NeedsGpu<::testing::TestWithParam<BatteryCase>> {
 protected:
  // check(directed, outcomes) over every wire there is.
  template <typename Check>
  static void over_all_wires(Check&& check)
  {
    if (transports_here().empty()) GTEST_SKIP() << "one rank has no wire but NCCL's, and this build has none";
    for (const char* const transport : transports_here()) {
      SCOPED_TRACE(transport);
      OverTransport const over(transport);
      for (bool const directed : {false, true}) check(directed, testing::expected_outcomes(GetParam(), directed));
    }
  }
};

// Built on GPUs by few devices in each rank, and by the host for more. One device alone has no use for a wire.
TEST_P(GpuRanksBattery, MatchesTheOracle)
{
  over_all_wires([](bool directed, const auto& outcomes) {
    for (bool const few : {true, false}) {
      int const devices = (job_place().ranks == 1 ? 2 : 1) + (few ? 0 : 1);
      auto const threshold = few ? std::optional<std::uint64_t>(2) : std::nullopt;
      Device const built_on = few ? Device::cuda : Device::cpu;
      Graph const graph = build_on_all_ranks(GetParam().source, directed, threshold, devices, built_on);
      for (auto const& way : ways_on_gpus()) expect_right(graph, way, outcomes);
    }
  });
}

// Undirected graphs over one device in each rank, directed ones over two.
TEST_P(GpuRanksBattery, MatchesTheOracleInBlocks)
{
  over_all_wires([](bool directed, const auto& outcomes) {
    for (Preset const preset : block_presets) {
      int const devices = job_place().ranks == 1 || directed ? 2 : 1;
      SearchOptions way = search_on(Device::cuda, std::nullopt, directed, 1);
      way.preset = preset;
      way.fanout = directed ? 1 : 4;
      expect_right(build_on_all_ranks(GetParam().source, directed, std::nullopt, devices, Device::cuda, preset), way,
                   outcomes);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuRanksBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

class GpuRanks : public testing::NeedsGpu<> {};

TEST_F(GpuRanks, MatchTheOracleOnRandomGraphs)
{
  for (Preset const preset :
       {Preset::delegates, Preset::adaptive, Preset::ring, Preset::grid, Preset::butterfly, Preset::automatic})
    match_the_oracle_on_random_graphs(200, preset, Device::cuda);
}

// Bins of many blocks, masks of many words.
TEST_F(GpuRanks, FindValidTreesInALargerGraph)
{
  if (transports_here().empty()) GTEST_SKIP() << "one rank has no wire but NCCL's, and this build has none";
  for (const char* const transport : transports_here()) {
    SCOPED_TRACE(transport);
    OverTransport const over(transport);
    for (auto const threshold : std::vector<std::optional<std::uint64_t>>{std::nullopt, 4, plain_threshold}) {
      Graph const graph = build_on_all_ranks(open_generator("kron:15"), false, threshold, 2, Device::cuda);
      Search search(graph, search_on(Device::cuda, std::nullopt, true, 1));
      for (Label const root : random_sources(graph, 3, 5)) {
        SearchResult const result = search.run(root);
        EXPECT_EQ(describe_config(graph, search_on(Device::cuda)).transport, transport);
        Verdict const verdict = search.validate();
        EXPECT_TRUE(verdict.valid()) << verdict.witness;
        EXPECT_EQ(verdict.reached, result.reached);
      }
    }
  }
}

// Queues that are still read when the next one comes; sets that are sent as bits.
TEST_F(GpuRanks, FindValidTreesInBlocksOfALargerGraph)
{
  if (transports_here().empty()) GTEST_SKIP() << "one rank has no wire but NCCL's, and this build has none";
  for (const char* const transport : transports_here()) {
    SCOPED_TRACE(transport);
    OverTransport const over(transport);
    for (Preset const preset : block_presets) {
      SCOPED_TRACE(name_of(preset));
      Graph const graph = build_on_all_ranks(open_generator("kron:16"), false, std::nullopt, 2, Device::cuda, preset);
      SearchOptions way = search_on(Device::cuda, std::nullopt, false, 1);
      way.preset = preset;
      Search search(graph, way);
      for (Label const root : random_sources(graph, 3, 5)) {
        SearchResult const result = search.run(root);
        Verdict const verdict = search.validate();
        EXPECT_TRUE(verdict.valid()) << verdict.witness;
        EXPECT_EQ(verdict.reached, result.reached);
      }
    }
  }
}

TEST_F(GpuRanks, RefuseATransportThatIsNone)
{
  OverTransport const over("pigeon");
  EXPECT_THROW(build_on_all_ranks(testing::random_graph(1, {}), false, std::nullopt, 2, Device::cuda), Error);
}

}  // namespace
}  // namespace brushfire
