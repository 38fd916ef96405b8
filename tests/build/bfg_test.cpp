// A .bfg file gives back the graph; a damaged one is refused by name, or at worst gives wrong answers inside bounds.
#include "build/bfg.hpp"

#include "engine/graph_data.hpp"
#include "input/files.hpp"

#include "battery.hpp"

#include <brushfire/search.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace brushfire {
namespace {

void write_file(const std::filesystem::path& path, const std::string& bytes)
{
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::filesystem::path stored(const testing::TemporaryFolder& folder, const testing::SharedSource& source,
                             const GraphOptions& options)
{
  auto const path = folder / "graph.bfg";
  Graph const graph = build_graph(source, options);
  const GraphData& data = graph.data();
  write_bfg(path, data.layout(), data.labels, {data.facts.edges_input, data.facts.self_loops, data.facts.entries});
  return path;
}

class BfgOfBattery : public ::testing::TestWithParam<testing::BatteryCase> {};

TEST_P(BfgOfBattery, GivesTheSameSearchesAsTheGraphItWasMadeFrom)
{
  testing::TemporaryFolder const folder;
  for (bool const directed : {false, true}) {
    GraphOptions options;
    options.directed = directed;
    options.threshold = 2;
    Graph const built = build_graph(GetParam().source, options);
    Graph const mapped = Graph::open(stored(folder, GetParam().source, options).string());
    EXPECT_NO_THROW(mapped.verify_stored());
    EXPECT_EQ(mapped.facts().edges_input, built.facts().edges_input);
    EXPECT_EQ(mapped.facts().edges_stored, built.facts().edges_stored);
    EXPECT_EQ(mapped.facts().delegates, built.facts().delegates);
    SearchOptions search_options;
    search_options.levels = true;
    Search first(built, search_options), second(mapped, search_options);
    for (Label const root : GetParam().roots) {
      SearchResult const expected = first.run(root), found = second.run(root);
      EXPECT_TRUE(std::equal(expected.levels.begin(), expected.levels.end(), found.levels.begin(), found.levels.end()));
      EXPECT_EQ(expected.nedge, found.nedge);
      EXPECT_TRUE(second.validate().valid()) << second.validate().witness;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Battery, BfgOfBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

class DamagedBfg : public ::testing::Test {
 protected:
  void SetUp() override
  {
    path_ = stored(folder_, testing::random_graph(7, {200, 900, false, true}), {false, 8, 1});
    bytes_ = testing::content_of(path_);
  }
  void expect_refused_at_open(const std::string& bytes)
  {
    write_file(path_, bytes);
    try {
      Graph::open(path_.string());
      ADD_FAILURE() << "was opened";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    }
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_;
  std::string bytes_;
};

TEST_F(DamagedBfg, EveryTruncationIsRefused)
{
  for (std::size_t size = 8; size < bytes_.size(); size += 37) expect_refused_at_open(bytes_.substr(0, size));
  expect_refused_at_open(bytes_ + "x");
}

TEST_F(DamagedBfg, EveryFlippedBitOfTheHeaderIsRefused)
{
  for (std::size_t i = 8; i < 360; ++i) {
    std::string damaged = bytes_;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    expect_refused_at_open(damaged);
  }
}

TEST_F(DamagedBfg, EveryFlippedBitOfTheBodyIsFoundByItsChecksum)
{
  for (std::size_t i = 448; i < bytes_.size(); i += 3) {
    std::string damaged = bytes_;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x01);
    write_file(path_, damaged);
    Graph const graph = Graph::open(path_.string());
    bool const padding = bytes_[i] == 0;
    if (padding) continue;
    EXPECT_THROW(graph.verify_stored(), Error) << i;
  }
}

TEST_F(DamagedBfg, SearchesOverNoiseStayInBounds)
{
  // Run under the address sanitizer this is the proof; without it a crash would still show.
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    std::string damaged = bytes_;
    for (int i = 0; i < 1 + round * round; ++i)
      damaged[448 + random() % (damaged.size() - 448)] = static_cast<char>(random());
    write_file(path_, damaged);
    Graph const graph = Graph::open(path_.string());
    for (auto const direction : std::vector<std::optional<Direction>>{{}, Direction::push, Direction::pull})
      for (bool const deterministic : {false, true}) {
        SearchOptions options;
        options.direction = direction;
        options.deterministic = deterministic;
        options.levels = true;
        options.threads = 2;
        Search search(graph, options);
        for (Label const root : {0, 99, 199}) search.run(root);
        search.validate();
      }
    graph.summary();
  }
}

TEST_F(DamagedBfg, PathsOverNoiseEnd)
{
  std::mt19937_64 random(5);
  for (int round = 0; round < 30; ++round) {
    std::string damaged = bytes_;
    for (int i = 0; i < 400; ++i) damaged[448 + random() % (damaged.size() - 448)] = static_cast<char>(random());
    write_file(path_, damaged);
    Search search(Graph::open(path_.string()));
    search.run(0);
    for (Label target = 0; target < 200; ++target) {
      try {
        EXPECT_LE(search.path_to(target).size(), 200u);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
      }
    }
  }
}

TEST_F(DamagedBfg, OptionsThatContradictTheFileAreRefused)
{
  write_file(path_, bytes_);
  EXPECT_THROW(Graph::open(path_.string(), {true, {}, 1}), Error);
  EXPECT_THROW(Graph::open(path_.string(), {false, 99, 1}), Error);
  EXPECT_NO_THROW(Graph::open(path_.string(), {false, 8, 1}));
}

}  // namespace
}  // namespace brushfire
