// A wire without anybody at its other end: a group that has one works like a group that has none.
#include "exchange/lone_wire.hpp"
#include "exchange/bins.hpp"
#include "exchange/device_group.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <new>
#include <vector>

namespace brushfire {
namespace {

TEST(LoneWire, WhatIsSentComesBack)
{
  LoneWire wire;
  std::array<std::byte, 3> const bytes{};
  Parcel const parcel{0, 1, bytes, true};
  wire.send({&parcel, 1});
  auto const arrived = wire.deliver();
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].to, 1);
  EXPECT_EQ(arrived[0].bytes.data(), bytes.data());
  EXPECT_TRUE(arrived[0].on_device);
  wire.send({});
  EXPECT_TRUE(wire.deliver().empty());
}

// With and without joining what goes elsewhere, of which there is nothing.
TEST(LoneWire, JoinsAGroup)
{
  for (int const devices : {1, 2, 3, 7})
    for (bool const join_pieces : {false, true}) {
      LoneWire wire;
      DeviceGroup group(devices, 1, &wire, join_pieces);
      group.run([&](int index, Exchange& exchange) {
        ASSERT_EQ(exchange.devices(), devices);
        ASSERT_EQ(exchange.device(), index);
        for (int changing = -1; changing < devices; ++changing) {
          Bins<int> bins(devices);
          for (int to = 0; to < devices; ++to) bins.add(to, 100 * index + to);
          // Masks of those that did not change are not heard, whatever is in them.
          std::vector<std::uint64_t> mask(5, index == changing ? 1u << index : 1u << 20);
          int heard = 0;
          exchange.post({0, true}, {bins.pieces(), mask, index == changing, true});
          bool const changed = exchange.collect({0, true}, [&](Piece piece) {
            EXPECT_EQ(items_of<int>(piece)[0], 100 * piece.device + index);
            ++heard;
          });
          EXPECT_EQ(heard, devices);
          EXPECT_EQ(changed, changing >= 0);
          EXPECT_EQ(mask, std::vector<std::uint64_t>(5, changing >= 0 ? 1u << changing : 1u << 20));
          std::vector<std::uint64_t> value{1};
          exchange.sum(value);
          EXPECT_EQ(value[0], static_cast<std::uint64_t>(devices));
        }
      });
    }
}

// Also when the failure has been dealt with long since: the other ranks have not heard of it.
TEST(LoneWire, AFailureOfTheGroupIsRememberedByTheWire)
{
  for (int const devices : {1, 3}) {
    LoneWire wire;
    DeviceGroup group(devices, 1, &wire, false);
    group.run([](int, Exchange&) {});
    EXPECT_TRUE(wire.others_come());
    EXPECT_THROW(group.run([&](int index, Exchange&) {
      if (index == devices - 1) throw std::bad_alloc();
    }),
                 std::bad_alloc);
    EXPECT_FALSE(wire.others_come());
  }
}

}  // namespace
}  // namespace brushfire
