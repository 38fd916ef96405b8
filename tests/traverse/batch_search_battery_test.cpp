// Batched searches on the CPU: the battery against the oracle, whatever the number of sources, the direction and the
// threads; then what a caller may get wrong.
#include "traverse/batch_battery.hpp"

#include "input/generator.hpp"

#include <brushfire/batch_search.hpp>
#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace brushfire {
namespace {

using testing::batch_on;
using testing::BatchOracle;
using testing::BatteryCase;
using testing::build;
using testing::directions;

class BatchSearchBattery : public ::testing::TestWithParam<BatteryCase> {};

TEST_P(BatchSearchBattery, MatchesTheOracle)
{
  std::vector<BatchOptions> ways;
  for (auto const direction : directions)
    for (int const threads : {1, 3}) ways.push_back(batch_on(Device::cpu, direction, threads));
  testing::batches_match_the_oracle(GetParam(), Device::cpu, ways);
}

INSTANTIATE_TEST_SUITE_P(Graphs, BatchSearchBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

TEST(BatchSearch, TakesAnyNumberOfSources)
{
  testing::SharedSource const source = open_generator("kron:7");
  BatchOracle oracle(source, false, 128);
  BatchSearch search(build(source, false, 8), batch_on(Device::cpu));
  for (std::size_t count = 0; count <= 130; ++count) testing::expect_batches(search, oracle, oracle.sources(count));
}

// Large enough that lists are shared out among threads, hubs' lists in pieces, and that directions change.
TEST(BatchSearch, MatchesSearchesOneByOne)
{
  for (bool const directed : {false, true}) {
    Graph const graph = build(open_generator("kron:14"), directed, std::nullopt);
    auto const sources = random_sources(graph, 64, 3);
    Search search(graph, testing::search_on(Device::cpu));
    for (auto const direction : directions) {
      BatchSearch batch(graph, batch_on(Device::cpu, direction, 3));
      bool has_pushed = false, has_pulled = false, has_mixed = false;
      BatchResult const result = batch.run(sources, [&](const BatchLevel& level) {
        has_pushed |= level.pushed != 0;
        has_pulled |= level.pulled != 0;
        has_mixed |= level.pushed != 0 && level.pulled != 0;
        EXPECT_EQ(level.pushed & level.pulled, 0u);
      });
      for (std::size_t i = 0; i < sources.size(); ++i)
        ASSERT_TRUE(std::ranges::equal(result.levels_of(i), search.run(sources[i]).levels)) << sources[i];
      if (directed) continue;
      EXPECT_EQ(has_pushed, direction != Direction::pull);
      EXPECT_EQ(has_pulled, direction != Direction::push);
      EXPECT_EQ(has_mixed, !direction);
    }
  }
}

// A pull of a complete graph meets all that it looks for in the first few entries, and what a source without a way out
// never brings is not waited for.
TEST(BatchSearch, PullsNoFurtherThanItHasTo)
{
  std::vector<Edge> edges;
  for (Label u = 0; u < 200; ++u)
    for (Label v = u + 1; v < 200; ++v) edges.push_back({u, v});
  auto const source = testing::make_source("complete", 202, edges);
  BatchSearch search(build(source, false, plain_threshold), batch_on(Device::cpu, Direction::pull));
  std::vector<std::uint64_t> checked;
  auto const visit = [&](const BatchLevel& level) { checked.push_back(level.edges_checked); };
  search.run(std::vector<Label>{0, 1, 2, 201}, visit);
  ASSERT_EQ(checked.size(), 2u);
  EXPECT_LE(checked[1], 200u * 9);
}

TEST(BatchSearch, KeepsOnlyWhatIsAskedFor)
{
  BatchSearch search(build(testing::make_source("path", 9, testing::path_edges(9)), false, std::nullopt),
                     {.device = Device::cpu});
  std::vector<Label> const sources{0, 4};
  std::uint64_t found = 0;
  BatchResult const result = search.run(sources, [&](const BatchLevel& level) {
    EXPECT_TRUE(level.found_bits.empty());
    found = std::accumulate(level.found.begin(), level.found.end(), found);
  });
  EXPECT_EQ(found, 18u);
  EXPECT_TRUE(result.levels.empty());
  EXPECT_EQ(result.sources[0].depth, 8);
  EXPECT_EQ(result.sources[1].depth, 4);
}

TEST(BatchSearch, WritesRowsOfTheCaller)
{
  Graph const graph = build(open_generator("kron:9"), false, std::nullopt);
  std::size_t const vertices = graph.facts().vertices;
  auto const sources = random_sources(graph, 70, 3);
  BatchSearch search(graph, batch_on(Device::cpu));
  auto const levels = search.run(sources).levels;
  std::vector<std::int32_t> const expected(levels.begin(), levels.end());
  std::vector<std::int32_t> rows(70 * vertices + 1, 7);
  BatchResult const result = search.run_into(std::span(rows).first(70 * vertices), sources);
  EXPECT_EQ(result.levels.data(), rows.data());
  EXPECT_TRUE(std::ranges::equal(result.levels, expected));
  EXPECT_EQ(rows.back(), 7);

  auto const refuses = [&](BatchSearch& asked, std::size_t size) {
    try {
      asked.run_into(std::span(rows).first(size), sources);
      return false;
    } catch (const Error& error) {
      return error.kind() == ErrorKind::usage;
    }
  };
  EXPECT_TRUE(refuses(search, 69 * vertices));
  EXPECT_TRUE(refuses(search, 70 * vertices + 1));
  BatchSearch counting(graph, {.device = Device::cpu});
  EXPECT_TRUE(refuses(counting, 70 * vertices));

  search.require_room_for_rows(70);
  try {
    search.require_room_for_rows(std::size_t{1} << 50);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
  }
}

// A matrix that is too large for the caches is written past them, from whatever place in memory a row begins.
TEST(BatchSearch, WritesLargeRows)
{
  std::uint64_t const vertices = 100'003;
  Graph const graph = build(testing::make_source("path", vertices, testing::path_edges(vertices)), false, std::nullopt);
  BatchSearch search(graph, {.levels = true, .threads = 3, .device = Device::cpu});
  std::vector<Label> sources;
  for (Label i = 0; i < 30; ++i) sources.push_back(i * 3000);
  BatchResult const result = search.run(sources);
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (Label v = 0; v < static_cast<Label>(vertices); ++v)
      ASSERT_EQ(result.levels_of(i)[static_cast<std::size_t>(v)], std::abs(v - sources[i]));
}

// A hub's list is pushed in parts by all threads, which have words of their own for delegates, or too many delegates
// for that.
TEST(BatchSearch, PushesHubsTogether)
{
  constexpr Label leaves = 60'000;
  std::vector<Edge> edges;
  for (Label v = 2; v < leaves; ++v) edges.push_back({v % 2, v});
  edges.push_back({0, 1});
  std::vector<Label> const sources{0, 1, 17, leaves - 1};
  auto const source = testing::make_source("hubs", leaves, edges);
  BatchOracle oracle(source, false, 1);
  for (auto const threshold : {std::uint64_t{0}, std::uint64_t{1}, plain_threshold}) {
    BatchSearch search(build(source, false, threshold), batch_on(Device::cpu, Direction::push, 4));
    testing::expect_batches(search, oracle, sources, Direction::push);
  }
}

TEST(BatchSearch, RefusesAnUnknownSource)
{
  BatchSearch search(build(testing::make_source("two", 2, {{0, 1}}), false, std::nullopt), batch_on(Device::cpu));
  bool visited = false;
  try {
    search.run(std::vector<Label>{0, 2}, [&](const BatchLevel&) { visited = true; });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "source 2 is not in two");
  }
  EXPECT_FALSE(visited);
  EXPECT_EQ(search.run(std::vector<Label>{1}).sources[0].reached, 2u);
}

TEST(BatchSearch, RefusesAGraphOfSeveralDevices)
{
  Graph const graph = build(open_generator("kron:6"), false, std::nullopt, Device::cpu, 2);
  try {
    BatchSearch const search(graph, batch_on(Device::cpu));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("open it for one device"), std::string::npos);
  }
}

// Levels of one vertex each, and more of them than a byte counts.
TEST(BatchSearch, SurvivesALongPath)
{
  std::uint64_t const vertices = 20'000;
  auto const source = testing::make_source("path", vertices, testing::path_edges(vertices));
  for (auto const threshold : {testing::thresholds[1], testing::thresholds[2]}) {
    BatchSearch search(build(source, false, threshold), {.levels = true, .device = Device::cpu});
    std::vector<Label> const sources{0, 10'000, 19'999};
    BatchResult const result = search.run(sources);
    for (std::size_t i = 0; i < sources.size(); ++i)
      for (Label v = 0; v < static_cast<Label>(vertices); ++v)
        ASSERT_EQ(result.levels_of(i)[static_cast<std::size_t>(v)], std::abs(v - sources[i]));
  }
}

TEST(BatchSearch, GraphIsShared)
{
  testing::SharedSource const source = open_generator("kron:10");
  Graph const graph = build(source, false, std::nullopt);
  std::vector<std::thread> callers;
  std::vector<int> right(3);
  auto const sources = random_sources(graph, 64, 7);
  std::vector<std::int32_t> expected;
  {
    BatchSearch search(graph, batch_on(Device::cpu));
    auto const levels = search.run(sources).levels;
    expected.assign(levels.begin(), levels.end());
  }
  for (int& mine : right)
    callers.emplace_back([&] {
      BatchSearch search(graph, batch_on(Device::cpu));
      for (int repeat = 0; repeat < 10; ++repeat) mine += std::ranges::equal(search.run(sources).levels, expected);
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(right, std::vector<int>(3, 10));
}

}  // namespace
}  // namespace brushfire
