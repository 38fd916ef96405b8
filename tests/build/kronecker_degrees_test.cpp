#include "build/kronecker_degrees.hpp"

#include "base/parallel.hpp"
#include "input/kronecker.hpp"

#include <gtest/gtest.h>

namespace brushfire {
namespace {

double ratio(std::uint64_t one, std::uint64_t other) { return static_cast<double>(one) / static_cast<double>(other); }

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
    EXPECT_NEAR(ratio(expected.above(threshold).vertices, seen.above(threshold).vertices), 1, 0.02);
    EXPECT_NEAR(ratio(expected.above(threshold).degree_sum, seen.above(threshold).degree_sum), 1, 0.02);
  }
}

TEST(KroneckerDegrees, HaveAllVerticesAndAllEnds)
{
  for (int const scale : {1, 10, 33, 48}) {
    auto const all = expected_kronecker_degrees(scale, 16).all();
    EXPECT_NEAR(ratio(all.vertices, std::uint64_t{1} << scale), 1, 0.01) << scale;
    EXPECT_NEAR(ratio(all.degree_sum, std::uint64_t{32} << scale), 1, 0.01) << scale;
  }
}

TEST(KroneckerDegrees, ThatShareABinBelongThere)
{
  for (int const scale : {10, 33, 40, 48}) {
    auto const histogram = expected_kronecker_degrees(scale, 16);
    double far_off = 0;
    for (std::size_t bin = DegreeHistogram::first_shared; bin < DegreeHistogram::size; ++bin) {
      auto const [vertices, degree_sum] = histogram.bins[bin];
      auto const first = static_cast<double>(DegreeHistogram::first_degree_of(bin));
      auto const ends = static_cast<double>(degree_sum), count = static_cast<double>(vertices);
      bool const open = bin + 1 == DegreeHistogram::size;
      if (ends < 0.999 * first * count || (!open && ends > 1.005 * first * count)) far_off += count;
    }
    auto const shared = histogram.above(DegreeHistogram::first_shared - 1);
    EXPECT_LE(far_off, 0.001 * static_cast<double>(shared.vertices)) << scale;
  }
}

// Section VI.B and Figure 7 of Pan, Pearce and Owens: 1.75 % of the vertices of scale 33 are delegates.
TEST(KroneckerDegrees, HaveTheDelegatesOfThePaper)
{
  EXPECT_NEAR(ratio(expected_kronecker_degrees(33, 16).above(181).vertices, std::uint64_t{1} << 33), 0.0175, 0.0001);
}

}  // namespace
}  // namespace brushfire
