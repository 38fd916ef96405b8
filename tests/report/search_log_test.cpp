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

}  // namespace
}  // namespace brushfire
