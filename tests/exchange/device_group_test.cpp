// Devices of one process: everything reaches the device it was meant for, masks and sums are those of all, and a
// device that fails takes the others along wherever they wait.
#include "exchange/device_group.hpp"
#include "exchange/bins.hpp"

#include <brushfire/error.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace brushfire {
namespace {

class DeviceGroupOf : public ::testing::TestWithParam<int> {};

TEST_P(DeviceGroupOf, DeliversEveryBinToItsDevice)
{
  DeviceGroup group(GetParam(), 2);
  group.run([&](int index, Exchange& exchange) {
    ASSERT_EQ(exchange.device(), index);
    ASSERT_EQ(exchange.devices(), GetParam());
    Bins<int> bins(exchange.devices());
    for (int repeat = 0; repeat < 20; ++repeat) {
      for (int to = 0; to < exchange.devices(); ++to)
        for (int copy = 0; copy < (index + to + repeat) % 3; ++copy) bins.add(to, 1000 * index + to);
      int last_steps = -1;  // back to the sender, around the circle
      send_bins(exchange, bins, [&](int from, std::span<const int> items) {
        int const steps = (index - from + exchange.devices()) % exchange.devices();
        EXPECT_GT(steps, last_steps);
        last_steps = steps;
        EXPECT_EQ(items.size(), static_cast<std::size_t>((from + index + repeat) % 3));
        for (int const item : items) EXPECT_EQ(item, 1000 * from + index);
      });
    }
  });
}

TEST_P(DeviceGroupOf, CombinesMasksOnlyWhenOneChanged)
{
  DeviceGroup group(GetParam(), 2);
  group.run([&](int index, Exchange& exchange) {
    for (int changing = -1; changing < exchange.devices(); ++changing) {
      std::vector<std::uint64_t> mask(5);
      if (index == changing) mask[static_cast<std::size_t>(index) % mask.size()] = std::uint64_t{1} << index;
      exchange.take_traffic();
      exchange.post({0, true}, {{}, mask, index == changing});
      exchange.collect({0, true}, [](Piece) { FAIL(); });
      std::vector<std::uint64_t> expected(mask.size());
      if (changing >= 0) expected[static_cast<std::size_t>(changing) % mask.size()] = std::uint64_t{1} << changing;
      EXPECT_EQ(mask, expected);
      std::uint64_t const moved = changing >= 0 && index > 0 ? 2 * mask.size() * sizeof(std::uint64_t) : 0;
      EXPECT_EQ(exchange.take_traffic().mask_bytes, moved);
    }
  });
}

TEST_P(DeviceGroupOf, Sums)
{
  DeviceGroup group(GetParam(), 2);
  group.run([&](int index, Exchange& exchange) {
    for (std::uint64_t repeat = 0; repeat < 50; ++repeat) {
      std::vector<std::uint64_t> values{1, static_cast<std::uint64_t>(index) + repeat};
      exchange.sum(values);
      auto const devices = static_cast<std::uint64_t>(exchange.devices());
      EXPECT_EQ(values, (std::vector<std::uint64_t>{devices, devices * (devices - 1) / 2 + devices * repeat}));
    }
  });
}

TEST_P(DeviceGroupOf, CountsWhatCrossesABoundary)
{
  DeviceGroup group(GetParam(), 2);
  group.run([&](int, Exchange& exchange) {
    Bins<std::uint64_t> bins(exchange.devices());
    for (int to = 0; to < exchange.devices(); ++to) bins.add(to, 1);
    send_bins(exchange, bins, [](int, std::span<const std::uint64_t>) {});
    Traffic const traffic = exchange.take_traffic();
    auto const others = static_cast<std::uint64_t>(exchange.devices() - 1);
    EXPECT_EQ(traffic.piece_bytes, others * sizeof(std::uint64_t));
    EXPECT_EQ(traffic.messages, others);
    EXPECT_EQ(exchange.take_traffic().messages, 0u);
  });
}

// A failure ends every wait, whoever fails and wherever the others are, and the group works again afterwards.
TEST_P(DeviceGroupOf, EndsTogether)
{
  DeviceGroup group(GetParam(), 2);
  for (int failing = 0; failing < GetParam(); ++failing) {
    auto const body = [&](int index, Exchange& exchange) {
      std::vector<std::uint64_t> value{1};
      exchange.sum(value);
      if (index == failing) {
        std::this_thread::sleep_for(std::chrono::milliseconds(failing % 3));
        throw std::runtime_error("device " + std::to_string(index));
      }
      for (;;) exchange.sum(value);
    };
    if (GetParam() == 1) continue;
    try {
      group.run(body);
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "device " + std::to_string(failing));
    }
  }
  group.run([](int, Exchange& exchange) {
    std::vector<std::uint64_t> value{1};
    exchange.sum(value);
    EXPECT_EQ(value[0], static_cast<std::uint64_t>(exchange.devices()));
  });
}

// What a device posted is read by the others until all have absorbed: one that throws while absorbing waits for them.
TEST_P(DeviceGroupOf, FailsWhileAbsorbing)
{
  if (GetParam() == 1) return;
  DeviceGroup group(GetParam(), 2);
  auto const body = [&](int index, Exchange& exchange) {
    Bins<int> bins(exchange.devices());
    for (int to = 0; to < exchange.devices(); ++to) bins.of(to).assign(1000, index);
    send_bins(exchange, bins, [&](int from, std::span<const int> items) {
      if (index == 1) throw std::runtime_error("absorbing");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      for (int const item : items) EXPECT_EQ(item, from);
    });
    for (std::vector<std::uint64_t> value{1};;) exchange.sum(value);
  };
  EXPECT_THROW(group.run(body), std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceGroupOf, ::testing::Values(1, 2, 3, 7, 16));

// In a process of its own, whose address space holds the stacks of few more threads.
TEST(DeviceGroup, AThreadThatAForkedProcessMayNotStartIsAMatterOfMemory)
{
  pid_t const child = fork();
  if (child == 0) {
    DeviceGroup group(32, 1);  // more than there are stacks of ended threads to use again
    rlimit const no_more{.rlim_cur = 1, .rlim_max = 1};
    setrlimit(RLIMIT_AS, &no_more);
    try {
      group.run([](int, Exchange&) {});
    } catch (const Error& error) {
      bool const says_so = std::string(error.what()).find("grants no thread for device ") != std::string::npos;
      _exit(error.kind() == ErrorKind::memory && says_so ? 0 : 1);
    } catch (...) {
      _exit(2);
    }
    _exit(3);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace brushfire
