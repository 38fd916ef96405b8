#include "build/kronecker_degrees.hpp"

#include "base/parallel.hpp"
#include "input/kronecker.hpp"

#include <gtest/gtest.h>

namespace brushfire {
namespace {

struct Above {
  double vertices = 0, ends = 0;
};

Above above(const DegreeHistogram& histogram, std::uint64_t threshold)
{
  Above sum;
  for (std::uint64_t degree = threshold + 1; degree < histogram.bins.size(); ++degree) {
    sum.vertices += static_cast<double>(histogram.bins[degree].vertices);
    sum.ends += static_cast<double>(histogram.bins[degree].degree_sum);
  }
  return sum;
}

// Self-loops, which are not counted, are a thousandth of the ends or less.
TEST(KroneckerDegrees, AreThoseOfAGraphThatWasGenerated)
{
  constexpr int scale = 16;
  KroneckerEdges const source(scale, 16);
  Team const team = Team::of(2);
  Degrees const counted = count_degrees(source, Labels::of_source(source, team), false, team, Progress::none());
  DegreeHistogram const seen = histogram_of(counted.out.span(), {}, team);
  DegreeHistogram const expected = expected_kronecker_degrees(scale, 16);
  for (std::uint64_t const threshold : {0, 4, 16, 64, 256}) {
    SCOPED_TRACE(threshold);
    EXPECT_NEAR(above(expected, threshold).vertices / above(seen, threshold).vertices, 1, 0.02);
    EXPECT_NEAR(above(expected, threshold).ends / above(seen, threshold).ends, 1, 0.02);
  }
}

TEST(KroneckerDegrees, HaveAllVerticesAndAllEnds)
{
  for (int const scale : {1, 10, 33, 48}) {
    auto const histogram = expected_kronecker_degrees(scale, 16);
    Above all = above(histogram, 0);
    all.vertices += static_cast<double>(histogram.bins[0].vertices);
    EXPECT_NEAR(all.vertices / static_cast<double>(std::uint64_t{1} << scale), 1, 0.01) << scale;
    EXPECT_NEAR(all.ends / static_cast<double>(std::uint64_t{32} << scale), 1, 0.01) << scale;
  }
}

TEST(KroneckerDegrees, OfTheLastPlaceAreThereByStepsToo)
{
  for (int const scale : {10, 33, 40, 48}) {
    auto const histogram = expected_kronecker_degrees(scale, 16);
    DegreeHistogram::Bin all;
    double far_off = 0;
    for (std::size_t bin = 0; bin < DegreeHistogram::high_bins; ++bin) {
      auto const [vertices, degree_sum] = histogram.high[bin];
      all.vertices += vertices;
      all.degree_sum += degree_sum;
      auto const first = static_cast<double>(DegreeHistogram::first_degree_of(bin));
      auto const ends = static_cast<double>(degree_sum), count = static_cast<double>(vertices);
      bool const open = bin + 1 == DegreeHistogram::high_bins;
      if (ends < 0.999 * first * count || (!open && ends > 1.005 * first * count)) far_off += count;
    }
    EXPECT_EQ(all.vertices, histogram.bins.back().vertices);
    EXPECT_EQ(all.degree_sum, histogram.bins.back().degree_sum);
    EXPECT_LE(far_off, 0.001 * static_cast<double>(all.vertices)) << scale;
  }
}

// Section VI.B and Figure 7 of Pan, Pearce and Owens: 1.75 % of the vertices of scale 33 are delegates.
TEST(KroneckerDegrees, HaveTheDelegatesOfThePaper)
{
  double const share =
      above(expected_kronecker_degrees(33, 16), 181).vertices / static_cast<double>(std::uint64_t{1} << 33);
  EXPECT_NEAR(share, 0.0175, 0.0001);
}

}  // namespace
}  // namespace brushfire
