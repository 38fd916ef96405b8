#include <brushfire/units.hpp>

#include <gtest/gtest.h>

namespace brushfire {
namespace {

TEST(Units, OneOfAThingIsCalledSo)
{
  EXPECT_EQ(counted(0, "edges"), "0 edges");
  EXPECT_EQ(counted(1, "edges"), "1 edge");
  EXPECT_EQ(counted(2, "edges"), "2 edges");
  EXPECT_EQ(counted(1, "vertices"), "1 vertex");
  EXPECT_EQ(counted(1, "searches"), "1 search");
  EXPECT_EQ(counted(1, "bytes"), "1 byte");
  EXPECT_EQ(counted(1, "stored entries"), "1 stored entry");
  EXPECT_EQ(counted(3, "vertices"), "3 vertices");
}

}  // namespace
}  // namespace brushfire
