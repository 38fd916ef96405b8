#include "build/kronecker_degrees.hpp"

#include "input/kronecker.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

// The logarithm of how many of 2^scale numbers have this many ones.
double log_numbers_with(int ones, int scale)
{
  return std::lgamma(scale + 1.0) - std::lgamma(ones + 1.0) - std::lgamma(scale - ones + 1.0);
}

// The share of a distribution of Poisson that is below `degree`, of a mean that is high enough for the normal one.
double share_below(double degree, double mean) { return std::erfc((mean + 0.5 - degree) / std::sqrt(2 * mean)) / 2; }

// A sum of fractions, handed out in whole numbers.
class Sum {
 public:
  std::uint64_t add(double part)
  {
    sum_ += part;
    std::uint64_t const before = std::exchange(rounded_, static_cast<std::uint64_t>(std::llround(sum_)));
    return rounded_ - before;
  }

 private:
  double sum_ = 0;
  std::uint64_t rounded_ = 0;
};

}  // namespace

DegreeHistogram expected_kronecker_degrees(int scale, std::uint64_t edge_factor)
{
  // A bit of an end is nought in two quadrants, A and B or A and C, which come to the same.
  constexpr double one =
      1 - static_cast<double>(KroneckerRecipe::below_a - KroneckerRecipe::below_b) / KroneckerRecipe::quadrant_range;
  double const ends = 2 * static_cast<double>(edge_factor) * std::exp2(scale);
  std::vector<double> vertices(DegreeHistogram::size), degree_sum(DegreeHistogram::size);
  for (int ones = 0; ones <= scale; ++ones) {
    double const of_its_kind = std::exp(log_numbers_with(ones, scale));
    double const mean = ends * std::pow(1 - one, scale - ones) * std::pow(one, ones);
    double below = 0, ends_below = 0;
    for (std::uint64_t degree = 0; degree < DegreeHistogram::first_shared; ++degree) {
      auto const d = static_cast<double>(degree);
      double const share = std::exp(d * std::log(mean) - mean - std::lgamma(d + 1));
      vertices[degree] += of_its_kind * share;
      degree_sum[degree] += of_its_kind * share * d;
      below += share;
      ends_below += share * d;
    }
    if (mean < DegreeHistogram::first_shared / 2) continue;
    for (std::size_t bin = DegreeHistogram::first_shared; bin < DegreeHistogram::size; ++bin) {
      bool const last = bin + 1 == DegreeHistogram::size;
      auto const next = static_cast<double>(DegreeHistogram::first_degree_of(bin + 1));
      // Ends below d are the mean times the vertices below d - 1.
      double const then_below = last ? 1 : std::max(below, share_below(next, mean));
      double const ends_then_below = last ? mean : std::max(ends_below, mean * share_below(next - 1, mean));
      vertices[bin] += of_its_kind * std::max(0.0, then_below - std::exchange(below, then_below));
      degree_sum[bin] += of_its_kind * std::max(0.0, ends_then_below - std::exchange(ends_below, ends_then_below));
    }
  }
  // Sums are rounded, not counts: of high degrees there is less than one vertex each, and together there are many.
  DegreeHistogram histogram;
  Sum vertices_so_far, ends_so_far;
  for (std::size_t bin = 0; bin < DegreeHistogram::size; ++bin)
    histogram.bins[bin] = {vertices_so_far.add(vertices[bin]), ends_so_far.add(degree_sum[bin])};
  return histogram;
}

}  // namespace brushfire
