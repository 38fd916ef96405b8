// The oracle on graphs whose levels can be counted by hand.
#include "validate/oracle.hpp"

#include "battery.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

namespace brushfire {
namespace {

using Levels = std::vector<std::int32_t>;

OracleResult search(const EdgeSource& source, Label root, bool directed = false,
                    std::optional<std::int64_t> max_depth = std::nullopt)
{
  return oracle_search(source, Labels::of_source(source, Team{1}), root, directed, max_depth);
}

TEST(Oracle, CountsDuplicatesButNotSelfLoops)
{
  auto const source = testing::make_source("small", 5, {{0, 1}, {1, 0}, {1, 2}, {2, 2}, {3, 4}});
  OracleResult const result = search(*source, 0);
  EXPECT_EQ(result.levels, (Levels{0, 1, 2, -1, -1}));
  EXPECT_EQ(result.reached, 3u);
  EXPECT_EQ(result.depth, 2);
  EXPECT_EQ(result.nedge, 3u);
}

TEST(Oracle, TakesTheShorterWayRound)
{
  auto edges = testing::path_edges(7);
  edges.push_back({6, 0});
  auto const source = testing::make_source("ring", edges);
  EXPECT_EQ(search(*source, 0).levels, (Levels{0, 1, 2, 3, 3, 2, 1}));
  EXPECT_EQ(search(*source, 0, true).levels, (Levels{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Oracle, FollowsArrowsOnly)
{
  auto const source = testing::make_source("arrows", 4, {{0, 1}, {2, 1}, {1, 3}, {3, 0}});
  OracleResult const result = search(*source, 0, true);
  EXPECT_EQ(result.levels, (Levels{0, 1, -1, 2}));
  EXPECT_EQ(result.nedge, 3u);
  EXPECT_EQ(search(*source, 0).levels, (Levels{0, 1, 2, 1}));
}

TEST(Oracle, StopsAtTheDepthLimit)
{
  auto const source = testing::make_source("path", 5, testing::path_edges(5));
  OracleResult const result = search(*source, 1, false, 1);
  EXPECT_EQ(result.levels, (Levels{1, 0, 1, -1, -1}));
  EXPECT_EQ(result.depth, 1);
  EXPECT_EQ(result.nedge, 2u);
  EXPECT_EQ(search(*source, 1, false, 0).reached, 1u);
}

TEST(Oracle, HalvesWhatIsListedTwice)
{
  auto const source = testing::make_source_listed_twice("twice", 4, {{0, 1}, {1, 2}, {2, 0}});
  EXPECT_EQ(search(*source, 0).nedge, 3u);
  EXPECT_EQ(search(*source, 3).nedge, 0u);  // isolated
}

TEST(Oracle, MapsSparseLabels)
{
  auto const source = testing::make_source("sparse", {{largest_label, 7}, {7, 1 << 20}});
  EXPECT_EQ(search(*source, largest_label).levels, (Levels{1, 2, 0}));
}

TEST(Oracle, RefusesAnUnknownRoot)
{
  auto const source = testing::make_source("one", 1, {});
  EXPECT_THROW(search(*source, 1), Error);
}

}  // namespace
}  // namespace brushfire
