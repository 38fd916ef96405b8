// Folders as Linux has them stand in for machines.
#include "base/numa.hpp"

#include "input/files.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace brushfire {
namespace {

class NumaTest : public ::testing::Test {
 protected:
  void node(const std::string& name, const std::string& cpulist)
  {
    std::filesystem::create_directories(folder_ / name);
    std::ofstream(folder_ / name / "cpulist") << cpulist << "\n";
  }
  std::vector<NumaNode> nodes() const { return numa_nodes(folder_.path()); }
  std::string describe(const std::set<int>& processors) const { return describe_numa(nodes(), processors); }

  testing::TemporaryFolder folder_;
};

TEST_F(NumaTest, ReadsNodesAndTheirProcessors)
{
  node("node10", "8");
  node("node0", "0-3,16-17");
  node("node2", "");  // memory and no processor
  node("power", "5");
  node("nodes", "6");
  auto const found = nodes();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].number, 0);
  EXPECT_EQ(found[0].processors, (std::set{0, 1, 2, 3, 16, 17}));
  EXPECT_EQ(found[1].number, 10);
  EXPECT_EQ(found[1].processors, std::set{8});
}

TEST_F(NumaTest, SaysWhetherAProcessSpansNodes)
{
  EXPECT_EQ(describe({0}), "the system does not say which nodes there are");
  node("node0", "0-3");
  EXPECT_EQ(describe({0, 1}), "one node: all memory is equally near");
  node("node1", "4-7");
  EXPECT_EQ(describe({4, 6}), "2 nodes, this process runs on node 1 alone: its memory is near");
  EXPECT_NE(describe({3, 4}).find("2 nodes, this process may run on 2 of them (0, 1)"), std::string::npos);
  EXPECT_NE(describe({3, 4}).find("mpirun --map-by numa --bind-to numa"), std::string::npos);
  node("node2", "8-11");
  EXPECT_NE(describe({4, 8}).find("--cpunodebind=1"), std::string::npos) << "one that it may run on";
  EXPECT_EQ(describe({}), "3 nodes; the system does not say on which this process may run");
}

TEST_F(NumaTest, OddListsAreLeftOut)
{
  node("node0", "1-,x,-2,3-1,7-7,");
  ASSERT_EQ(nodes().size(), 1u);
  EXPECT_EQ(nodes()[0].processors, std::set{7});
}

TEST(Numa, ThisProcessRunsSomewhere) { EXPECT_FALSE(allowed_processors().empty()); }

}  // namespace
}  // namespace brushfire
