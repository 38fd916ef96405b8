// The result lines of the Graph500 reference, byte for byte: tools parse them. Keys are padded to
// column 32; the harmonic mean carries its '!' inside the padding. What we add comes after the block.
#include <brushfire/report.hpp>

#include <fmt/format.h>

namespace brushfire {

namespace {

constexpr int key_width = 32;

class Block {
 public:
  explicit Block(std::string& text) : text_(text) {}

  void whole(std::string_view key, std::int64_t value) { line(key, fmt::to_string(value)); }
  void real(std::string_view key, double value) { line(key, fmt::format("{:g}", value)); }

  // The seven numbers of a sample. `prefix` is "bfs  " or nothing, `what` the unit: time, nedge, validate.
  void sample(std::string_view prefix, std::string_view what, const Statistics& numbers, int digits)
  {
    auto const named = [&](std::string_view which, double value) {
      line(fmt::format("{}{}_{}", prefix, which, what), fmt::format("{:.{}g}", value, digits));
    };
    named("min", numbers.minimum);
    named("firstquartile", numbers.first_quartile);
    named("median", numbers.median);
    named("thirdquartile", numbers.third_quartile);
    named("max", numbers.maximum);
    named("mean", numbers.mean);
    named("stddev", numbers.stddev);
  }

 private:
  void line(std::string_view key, const std::string& value)
  {
    text_ += fmt::format("{:<{}}{}\n", fmt::format("{}:", key), key_width, value);
  }

  std::string& text_;
};

template <typename Value>
std::vector<double> sample_of(const Report& report, Value&& value)
{
  std::vector<double> sample;
  for (auto const& search : report.searches) sample.push_back(static_cast<double>(value(search)));
  return sample;
}

Statistics validate_statistics(const Report& report)
{
  std::vector<double> seconds;
  for (auto const& search : report.searches)
    if (search.validate_seconds) seconds.push_back(*search.validate_seconds);
  if (seconds.empty()) return {-1, -1, -1, -1, -1, -1, -1};
  return statistics_of(std::move(seconds));
}

}  // namespace

std::string graph500_block(const Report& report)
{
  auto const graph500 = report.graph500.value_or(Graph500Report{});
  auto const teps = teps_of(report.searches);
  std::string text;
  Block block(text);

  block.whole("SCALE", graph500.scale);
  block.whole("edgefactor", graph500.edgefactor);
  block.whole("NBFS", static_cast<std::int64_t>(report.searches.size()));
  block.real("graph_generation", report.graph.generation_seconds);
  block.whole("num_mpi_processes", report.config.ranks);
  block.real("construction_time", report.graph.construction_seconds);

  block.sample("bfs  ", "time", statistics_of(sample_of(report, [](auto& search) { return search.seconds; })), 6);
  block.sample("", "nedge", statistics_of(sample_of(report, [](auto& search) { return search.nedge; })), 11);

  block.real("bfs  min_TEPS", teps.minimum);
  block.real("bfs  firstquartile_TEPS", teps.first_quartile);
  block.real("bfs  median_TEPS", teps.median);
  block.real("bfs  thirdquartile_TEPS", teps.third_quartile);
  block.real("bfs  max_TEPS", teps.maximum);
  text += fmt::format("bfs  harmonic_mean_TEPS:     !  {:g}\n", teps.harmonic_mean);
  block.real("bfs  harmonic_stddev_TEPS", teps.harmonic_stddev);

  block.sample("bfs  ", "validate", validate_statistics(report), 6);

  if (graph500.conforming) return text + "conforming: yes\n";
  return text + fmt::format("conforming: no ({})\n", fmt::join(graph500.reasons, "; "));
}

}  // namespace brushfire
