// However long a search is, its trace stays short and its sums stay exact.
#include <brushfire/trace.hpp>

#include <gtest/gtest.h>

namespace brushfire {

namespace {

LevelRecord record_of(std::int64_t level)
{
  auto const number = static_cast<std::uint64_t>(level);
  LevelRecord record;
  record.level = level;
  record.directions.fill(level % 2 == 0 ? Direction::push : Direction::pull);
  record.frontier = number + 1;
  record.edges_checked = 3 * number;
  record.discovered = 5 * number;
  record.seconds = 1;
  record.bytes_sent = 7 * number;
  record.messages = 2;
  record.most_checked = number;
  record.most_bytes = 2 * number;
  record.most_messages = 1;
  return record;
}

void add_levels(Trace& trace, std::int64_t levels)
{
  for (std::int64_t level = 0; level < levels; ++level) trace.add(record_of(level));
}

class TraceLength : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(TraceLength, IsBoundedAndLosesNothing)
{
  std::int64_t const levels = GetParam();
  Trace trace;
  add_levels(trace, levels);
  auto const records = trace.records();
  EXPECT_EQ(trace.levels(), levels);
  EXPECT_LE(records.size(), Trace::kept_whole);

  LevelRecord sum;
  sum.levels = 0;
  std::int64_t next = 0;
  for (auto const& record : records) {
    ASSERT_EQ(record.level, next);
    next += record.levels;
    sum.levels += record.levels;
    sum.frontier += record.frontier;
    sum.edges_checked += record.edges_checked;
    sum.discovered += record.discovered;
    sum.seconds += record.seconds;
    sum.bytes_sent += record.bytes_sent;
    sum.messages += record.messages;
    sum.most_checked += record.most_checked;
    sum.most_bytes += record.most_bytes;
    sum.most_messages += record.most_messages;
    EXPECT_EQ(record.directions, record_of(record.level).directions);
  }
  auto const n = static_cast<std::uint64_t>(levels);
  std::uint64_t const gauss = n == 0 ? 0 : n * (n - 1) / 2;
  EXPECT_EQ(sum.levels, levels);
  EXPECT_EQ(sum.frontier, gauss + n);
  EXPECT_EQ(sum.edges_checked, 3 * gauss);
  EXPECT_EQ(sum.discovered, 5 * gauss);
  EXPECT_EQ(sum.seconds, static_cast<double>(n));
  EXPECT_EQ(sum.bytes_sent, 7 * gauss);
  EXPECT_EQ(sum.messages, 2 * n);
  EXPECT_EQ(sum.most_checked, gauss);
  EXPECT_EQ(sum.most_bytes, 2 * gauss);
  EXPECT_EQ(sum.most_messages, n);
}

INSTANTIATE_TEST_SUITE_P(Lengths, TraceLength,
                         ::testing::Values(0, 1, 2, 999, 1000, 1001, 1002, 1100, 1801, 4096, 12345, 1000000));

TEST(Trace, IsWholeUpToItsLimit)
{
  Trace trace;
  add_levels(trace, Trace::kept_whole);
  EXPECT_EQ(trace.records().size(), Trace::kept_whole);
}

TEST(Trace, KeepsBothEndsOneByOne)
{
  Trace trace;
  add_levels(trace, 54321);
  auto const records = trace.records();
  ASSERT_LE(records.size(), 2 * Trace::kept_at_ends + 100);
  ASSERT_GT(records.size(), 2 * Trace::kept_at_ends + 49);
  for (std::size_t i = 0; i < Trace::kept_at_ends; ++i) {
    EXPECT_EQ(records[i].levels, 1);
    EXPECT_EQ(records[records.size() - 1 - i].levels, 1);
  }
  std::int64_t const bucket = records[Trace::kept_at_ends].levels;
  EXPECT_GT(bucket, 1);
  for (std::size_t i = Trace::kept_at_ends; i + Trace::kept_at_ends + 1 < records.size(); ++i)
    EXPECT_EQ(records[i].levels, bucket);
}

TEST(Trace, CanBeUsedAgain)
{
  Trace trace;
  add_levels(trace, 5000);
  trace.clear();
  EXPECT_EQ(trace.levels(), 0);
  EXPECT_TRUE(trace.records().empty());
  add_levels(trace, 1001);
  EXPECT_EQ(trace.levels(), 1001);
  EXPECT_EQ(trace.records().front().levels, 1);
}

}  // namespace

}  // namespace brushfire
