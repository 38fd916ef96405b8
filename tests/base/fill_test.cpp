// Every value is written and none past them, whatever the size and the threads.
#include "base/fill.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace brushfire {
namespace {

constexpr std::uint64_t piece = filled_at_a_time<Word>;

TEST(Fill, WritesAllValuesAndNoOthers)
{
  for (int const threads : {1, 2, 7})
    for (std::uint64_t const count : {std::uint64_t{0}, std::uint64_t{1}, piece - 1, piece, piece + 1, 9 * piece + 5}) {
      std::vector<std::int32_t> values(count + 1, 3);
      fill_by_team(std::span(values).first(count), -1, Team{threads});
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(values[i], -1);
      EXPECT_EQ(values[count], 3);
    }
}

TEST(Fill, CopiesAndClearsWords)
{
  for (int const threads : {1, 2, 7})
    for (std::uint64_t const count : {std::uint64_t{0}, std::uint64_t{1}, piece - 1, piece, piece + 1, 9 * piece + 5}) {
      std::vector<Word> from(count), to(count + 1, 7);
      std::iota(from.begin(), from.end(), Word{100});
      copy_words(from, to.data(), Team{threads});
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(to[i], 100 + i);
      EXPECT_EQ(to[count], 7u);
      clear_words(std::span(to).first(count), Team{threads});
      for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(to[i], 0u);
      EXPECT_EQ(to[count], 7u);
    }
}

}  // namespace
}  // namespace brushfire
