// Sums of records: every count by itself, the same on all devices.
#include "exchange/sum_over_devices.hpp"

#include "exchange/device_group.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace brushfire {
namespace {

struct Record {
  std::uint64_t number;
  std::array<std::uint64_t, 2> squares;

  friend bool operator==(const Record&, const Record&) = default;
};

TEST(SumOverDevices, AddsEveryCountByItself)
{
  DeviceGroup group(3, 1);
  group.run([](int, Exchange& exchange) {
    auto const device = static_cast<std::uint64_t>(exchange.device());
    Record const own{device, {device * device, 7}};
    EXPECT_EQ(sum_over_devices(exchange, own), (Record{3, {5, 21}}));
    EXPECT_EQ(sum_over_devices(exchange, device), 3u);
    std::vector<Record> records{own, {1, {2, device}}};
    sum_over_devices(exchange, std::span(records));
    EXPECT_EQ(records, (std::vector<Record>{{3, {5, 21}}, {3, {6, 3}}}));
    std::vector<Record> none;
    sum_over_devices(exchange, std::span(none));
  });
}

}  // namespace
}  // namespace brushfire
