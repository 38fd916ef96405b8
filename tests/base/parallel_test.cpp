// Every index is visited exactly once, by threads within the team, whatever the sizes; exceptions reach the caller.
#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace brushfire {
namespace {

void expect_each_visited_once(std::uint64_t count, std::uint64_t grain, int threads)
{
  std::vector<std::atomic<int>> visits(count);
  Team{threads}.for_blocks(count, grain, [&](std::uint64_t first, std::uint64_t last, int thread) {
    EXPECT_EQ(first % grain, 0u);
    EXPECT_LE(last - first, grain);
    EXPECT_GE(thread, 0);
    EXPECT_LT(thread, threads);
    for (std::uint64_t i = first; i < last; ++i) ++visits[i];
  });
  for (auto const& visit : visits) ASSERT_EQ(visit.load(), 1);
}

TEST(Parallel, VisitsEveryIndexOnce)
{
  for (int const threads : {1, 2, 3, 8})
    for (std::uint64_t const count : {0, 1, 2, 63, 64, 1000})
      for (std::uint64_t const grain : {1, 7, 64, 5000}) expect_each_visited_once(count, grain, threads);
}

TEST(Parallel, TheSameThreadNumberIsNeverInTwoBlocksAtOnce)
{
  std::vector<std::atomic<int>> inside(4);
  for (int round = 0; round < 200; ++round)
    Team{4}.for_blocks(64, 1, [&](std::uint64_t, std::uint64_t, int thread) {
      EXPECT_EQ(inside[static_cast<std::size_t>(thread)].fetch_add(1), 0);
      inside[static_cast<std::size_t>(thread)].fetch_sub(1);
    });
}

TEST(Parallel, CarriesAnExceptionToTheCallerAndGoesOn)
{
  Team const team{3};
  EXPECT_THROW(team.for_blocks(100, 1,
                               [](std::uint64_t first, std::uint64_t, int) {
                                 if (first == 57) throw std::runtime_error("in a block");
                               }),
               std::runtime_error);
  expect_each_visited_once(100, 1, 3);
}

TEST(Parallel, ALoopInsideALoopAndTwoCallersAtOnceBothFinish)
{
  std::atomic<int> inner{0};
  Team{3}.for_blocks(10, 1, [&](std::uint64_t, std::uint64_t, int) {
    Team{3}.for_blocks(10, 1, [&](std::uint64_t, std::uint64_t, int) { ++inner; });
  });
  EXPECT_EQ(inner.load(), 100);

  std::thread other([] {
    for (int i = 0; i < 100; ++i) expect_each_visited_once(200, 3, 2);
  });
  for (int i = 0; i < 100; ++i) expect_each_visited_once(200, 3, 2);
  other.join();
}

// Devices of one process loop at the same time: the workers that one of them leaves idle help the others.
TEST(Parallel, WorkersHelpSeveralCallersAtOnce)
{
  auto const wait_for = [](const std::atomic<int>& count, int enough) {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (count < enough && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_GE(count, enough);
  };
  std::atomic<int> entered{0};
  std::atomic<int> helped{0};
  std::thread other([&] {
    Team{2}.for_blocks(2, 1, [&](std::uint64_t, std::uint64_t, int) {
      ++entered;
      wait_for(helped, 2);
    });
  });
  wait_for(entered, 2);
  Team{4}.for_blocks(2, 1, [&](std::uint64_t, std::uint64_t, int) {
    ++helped;
    wait_for(helped, 2);
  });
  other.join();
}

TEST(Parallel, AChildOfForkWorksAloneAndEnds)
{
  expect_each_visited_once(100, 1, 3);  // the workers are there
  pid_t const child = fork();
  if (child == 0) {
    std::atomic<int> visits{0};
    Team{3}.for_blocks(100, 1, [&](std::uint64_t, std::uint64_t, int) { ++visits; });
    std::exit(visits == 100 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace brushfire
