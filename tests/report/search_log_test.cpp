// What a log of searches gives back of each level: all that was recorded, and nothing that was not.
#include "report/search_log.hpp"

#include "input/files.hpp"

#include <gtest/gtest.h>

namespace brushfire {
namespace {

TEST(SearchLog, KeepsWhetherAPullWasAsynchronous)
{
  testing::TemporaryFolder const folder;
  SearchLogStart start;
  start.roots = {7, 8};
  SearchReport search;
  search.root = 7;
  search.trace.resize(3);
  search.trace[1].async_pull = false;
  search.trace[2].async_pull = true;
  {
    SearchLog log(folder / "searches.log", {});
    log.begin(start);
    log.append(search);
  }
  SearchLog const log(folder / "searches.log", {});
  ASSERT_EQ(log.finished().size(), 1u);
  auto const& trace = log.finished()[0].trace;
  ASSERT_EQ(trace.size(), 3u);
  for (std::size_t i = 0; i < trace.size(); ++i) EXPECT_EQ(trace[i].async_pull, search.trace[i].async_pull) << i;
}

TEST(SearchLog, KeepsTheConfigurationOfSeveralDevices)
{
  testing::TemporaryFolder const folder;
  SearchLogStart start;
  start.roots = {7};
  ConfigReport& config = start.config;
  config.ranks = 2;
  config.devices = 3;
  config.preset = "grid";
  config.choice = "grid: because";
  config.exchange = "grid";
  config.fanout = 5;
  config.grid = GridShape{2, 3};
  config.entries_nn = 11;
  config.subgraph_bytes = 12;
  config.subgraph_bytes_model = 13;
  config.uniquify = config.local_all2all = true;
  config.reduce = "blocking";
  config.transport = "ipc";
  SearchLog(folder / "searches.log", {}).begin(start);
  ConfigReport const kept = SearchLog(folder / "searches.log", {}).start().config;
  Report before, after;
  before.config = config;
  after.config = kept;
  EXPECT_EQ(to_json(after), to_json(before));
  EXPECT_NE(to_json(after), to_json(Report()));
  ASSERT_TRUE(kept.grid);
  EXPECT_EQ(kept.grid->columns, 3);
}

}  // namespace
}  // namespace brushfire
