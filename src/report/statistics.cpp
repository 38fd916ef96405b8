// The statistics of the Graph500 reference. Every result is a finite number: a sample of one has no
// spread, and a search that met no edge has a rate of 0, which makes the harmonic mean 0 as well.
#include <brushfire/report.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace brushfire {

Statistics statistics_of(std::vector<double> sample)
{
  if (sample.empty()) return {};
  std::sort(sample.begin(), sample.end());
  std::size_t const n = sample.size();
  auto const between = [&](std::size_t i, std::size_t j) { return (sample[i] + sample[j]) / 2; };

  double sum = 0;
  for (double const x : sample) sum += x;
  double const mean = sum / static_cast<double>(n);
  double squares = 0;
  for (double const x : sample) squares += (x - mean) * (x - mean);

  return {.minimum = sample.front(),
          .first_quartile = between((n - 1) / 4, n / 4),
          .median = between((n - 1) / 2, n / 2),
          .third_quartile = between(n - 1 - (n - 1) / 4, n - 1 - n / 4),
          .maximum = sample.back(),
          .mean = mean,
          .stddev = n > 1 && std::isfinite(mean) ? std::sqrt(squares / static_cast<double>(n - 1)) : 0};
}

TepsStatistics teps_of(std::span<const SearchReport> searches)
{
  // Rates are averaged as seconds per edge, and turned around at the end.
  std::vector<double> seconds_per_edge;
  for (auto const& search : searches)
    seconds_per_edge.push_back(search.nedge > 0 ? search.seconds / static_cast<double>(search.nedge)
                                                : std::numeric_limits<double>::infinity());
  Statistics const slow = statistics_of(std::move(seconds_per_edge));
  auto const rate = [](double seconds) { return seconds > 0 ? 1 / seconds : 0; };

  bool const spread = searches.size() > 1 && slow.mean > 0 && std::isfinite(slow.mean);
  return {.harmonic_mean = rate(slow.mean),
          .harmonic_stddev =
              spread ? slow.stddev / (slow.mean * slow.mean * std::sqrt(static_cast<double>(searches.size() - 1))) : 0,
          .minimum = rate(slow.maximum),
          .first_quartile = rate(slow.third_quartile),
          .median = rate(slow.median),
          .third_quartile = rate(slow.first_quartile),
          .maximum = rate(slow.minimum)};
}

}  // namespace brushfire
