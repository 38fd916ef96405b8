// Files that GAP's converter made from golden/small.el, read and written: the same graph, the same bytes.
#include "input/files.hpp"

#include <brushfire/search.hpp>

#include <gtest/gtest.h>

namespace brushfire {
namespace {

std::string golden(const std::string& name) { return BRUSHFIRE_SOURCE_DIR "/tests/input/golden/" + name; }

class GapInterchange : public ::testing::TestWithParam<bool> {
 protected:
  bool directed() const { return GetParam(); }
  std::string made_by_gap() const { return golden(directed() ? "gap_directed.sg" : "gap_undirected.sg"); }
};

TEST_P(GapInterchange, WeWriteTheBytesThatGapWrites)
{
  testing::TemporaryFolder const folder;
  write_graph(golden("small.el"), folder / "ours.sg", false, {directed(), {}, 1});
  EXPECT_EQ(testing::content_of(folder / "ours.sg"), testing::content_of(made_by_gap()));
  write_graph(made_by_gap(), folder / "again.sg", false, {});
  EXPECT_EQ(testing::content_of(folder / "again.sg"), testing::content_of(made_by_gap()));
}

TEST_P(GapInterchange, WeSearchWhatGapWrote)
{
  Graph const graph = Graph::open(made_by_gap());
  EXPECT_EQ(graph.facts().directed, directed());
  EXPECT_EQ(graph.facts().vertices, 7u);  // 4 and 5 have no edge, but lie below 6
  Search search(graph);
  EXPECT_EQ(search.run(0).reached, directed() ? 4u : 5u);
  EXPECT_TRUE(search.validate().valid());
}

INSTANTIATE_TEST_SUITE_P(BothWays, GapInterchange, ::testing::Bool());

}  // namespace
}  // namespace brushfire
