// Statistics against values worked out by hand from the definitions of the Graph500 reference, for every
// remainder of the sample size modulo four, where the quartiles differ.
#include <brushfire/report.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace brushfire {

namespace {

SearchReport search_of(double seconds, std::uint64_t nedge)
{
  SearchReport search;
  search.seconds = seconds;
  search.nedge = nedge;
  return search;
}

TEST(Statistics, FourNumbers)
{
  auto const numbers = statistics_of({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(numbers.minimum, 1);
  EXPECT_DOUBLE_EQ(numbers.first_quartile, 1.5);
  EXPECT_DOUBLE_EQ(numbers.median, 2.5);
  EXPECT_DOUBLE_EQ(numbers.third_quartile, 3.5);
  EXPECT_DOUBLE_EQ(numbers.maximum, 4);
  EXPECT_DOUBLE_EQ(numbers.mean, 2.5);
  EXPECT_DOUBLE_EQ(numbers.stddev, std::sqrt(5.0 / 3));
}

TEST(Statistics, FiveNumbers)
{
  auto const numbers = statistics_of({10, 4, 3, 2, 1});
  EXPECT_DOUBLE_EQ(numbers.first_quartile, 2);
  EXPECT_DOUBLE_EQ(numbers.median, 3);
  EXPECT_DOUBLE_EQ(numbers.third_quartile, 4);
  EXPECT_DOUBLE_EQ(numbers.mean, 4);
  EXPECT_DOUBLE_EQ(numbers.stddev, std::sqrt(12.5));
}

TEST(Statistics, SixNumbers)
{
  auto const numbers = statistics_of({1, 2, 3, 4, 5, 6});
  EXPECT_DOUBLE_EQ(numbers.first_quartile, 2);
  EXPECT_DOUBLE_EQ(numbers.median, 3.5);
  EXPECT_DOUBLE_EQ(numbers.third_quartile, 5);
}

TEST(Statistics, SevenNumbers)
{
  auto const numbers = statistics_of({1, 2, 3, 4, 5, 6, 7});
  EXPECT_DOUBLE_EQ(numbers.first_quartile, 2);
  EXPECT_DOUBLE_EQ(numbers.median, 4);
  EXPECT_DOUBLE_EQ(numbers.third_quartile, 6);
}

TEST(Statistics, OneNumberHasNoSpread)
{
  auto const numbers = statistics_of({3});
  EXPECT_DOUBLE_EQ(numbers.minimum, 3);
  EXPECT_DOUBLE_EQ(numbers.first_quartile, 3);
  EXPECT_DOUBLE_EQ(numbers.third_quartile, 3);
  EXPECT_DOUBLE_EQ(numbers.mean, 3);
  EXPECT_DOUBLE_EQ(numbers.stddev, 0);
}

TEST(Statistics, NoNumbersAreZeros)
{
  auto const numbers = statistics_of({});
  EXPECT_DOUBLE_EQ(numbers.maximum, 0);
  EXPECT_DOUBLE_EQ(numbers.stddev, 0);
}

TEST(TepsStatistics, AveragesSecondsPerEdge)
{
  // 1/2 and 1/4 seconds per edge: mean 3/8, standard deviation sqrt(1/32).
  std::vector const searches{search_of(1, 2), search_of(0.5, 2)};
  auto const teps = teps_of(searches);
  EXPECT_DOUBLE_EQ(teps.harmonic_mean, 8.0 / 3);
  EXPECT_DOUBLE_EQ(teps.harmonic_stddev, std::sqrt(1.0 / 32) / (9.0 / 64));
  EXPECT_DOUBLE_EQ(teps.minimum, 2);
  EXPECT_DOUBLE_EQ(teps.first_quartile, 2);
  EXPECT_DOUBLE_EQ(teps.median, 8.0 / 3);
  EXPECT_DOUBLE_EQ(teps.third_quartile, 4);
  EXPECT_DOUBLE_EQ(teps.maximum, 4);
}

TEST(TepsStatistics, HarmonicStddevDividesByRootOfNMinusOne)
{
  // Seconds per edge 1, 2, 3: mean 2, standard deviation 1.
  std::vector const searches{search_of(1, 1), search_of(2, 1), search_of(3, 1)};
  EXPECT_DOUBLE_EQ(teps_of(searches).harmonic_stddev, 1 / (4 * std::sqrt(2.0)));
}

TEST(TepsStatistics, IsFiniteWhateverHappened)
{
  for (auto const& searches : {std::vector<SearchReport>{},
                               {search_of(1, 10)},
                               {search_of(1, 0)},
                               {search_of(0, 0), search_of(0, 5)},
                               {search_of(1, 0), search_of(1, 10), search_of(1, 10)},
                               {search_of(0, 5), search_of(1, 5)}}) {
    auto const teps = teps_of(searches);
    for (double const value : {teps.harmonic_mean, teps.harmonic_stddev, teps.minimum, teps.first_quartile, teps.median,
                               teps.third_quartile, teps.maximum})
      EXPECT_TRUE(std::isfinite(value)) << searches.size();
  }
}

TEST(TepsStatistics, SearchWithoutEdgesMakesTheMeanZero)
{
  std::vector const searches{search_of(1, 0), search_of(1, 10)};
  EXPECT_DOUBLE_EQ(teps_of(searches).harmonic_mean, 0);
  EXPECT_DOUBLE_EQ(teps_of(searches).maximum, 10);
}

TEST(HumanUnits, KeepThreeDigits)
{
  EXPECT_EQ(human_teps(0), "0 TEPS");
  EXPECT_EQ(human_teps(999.4), "999 TEPS");
  EXPECT_EQ(human_teps(999.9), "1 kTEPS");
  EXPECT_EQ(human_teps(1.359e9), "1.36 GTEPS");
  EXPECT_EQ(human_teps(9.996e8), "1 GTEPS");
}

}  // namespace

}  // namespace brushfire
