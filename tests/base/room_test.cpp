#include "base/room.hpp"

#include "base/buffer.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace brushfire {
namespace {

TEST(Room, RoundsUpToMultiples)
{
  EXPECT_EQ(round_up(std::size_t{0}, std::size_t{64}), 0u);
  EXPECT_EQ(round_up(std::size_t{1}, std::size_t{64}), 64u);
  EXPECT_EQ(round_up(std::size_t{64}, std::size_t{64}), 64u);
  EXPECT_EQ(round_up(std::size_t{65}, std::size_t{64}), 128u);
}

TEST(Room, GrowsByAQuarterAtLeastAndNeverShrinks)
{
  Buffer<std::uint32_t> buffer;
  make_room(buffer, 0);
  EXPECT_EQ(buffer.data(), nullptr);
  make_room(buffer, 1000);
  EXPECT_EQ(buffer.size(), 1000u);
  make_room(buffer, 1001);
  EXPECT_EQ(buffer.size(), 1250u);
  make_room(buffer, 1250);
  make_room(buffer, 1);
  EXPECT_EQ(buffer.size(), 1250u);
  make_room(buffer, 5000);
  EXPECT_EQ(buffer.size(), 5000u);
  make_room(buffer, 5001, 5500);
  EXPECT_EQ(buffer.size(), 5500u);
}

}  // namespace
}  // namespace brushfire
