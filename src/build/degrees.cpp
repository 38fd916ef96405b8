#include "build/degrees.hpp"

#include "base/error.hpp"
#include "input/edge_blocks.hpp"

#include <brushfire/graph.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

namespace brushfire {

namespace {

void increment_shared(std::uint32_t& counter)
{
  std::atomic_ref<std::uint32_t>(counter).fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t sum_of(const Buffer<std::uint32_t>& counts)
{
  std::uint64_t sum = 0;
  for (std::uint32_t const count : counts.span()) sum += count;
  return sum;
}

}  // namespace

Degrees count_degrees(const EdgeSource& source, const Labels& labels, bool directed, Team team, Progress& progress)
{
  Degrees degrees;
  degrees.out = Buffer<std::uint32_t>(labels.size());
  if (directed) degrees.in = Buffer<std::uint32_t>(labels.size());
  bool const both_ends = !directed && !source.facts().listed_twice;
  std::atomic<std::uint64_t> self_loops{0};
  for_each_edge_block(source, team, progress, [&](std::uint64_t, std::span<const Edge> edges, int) {
    std::uint64_t loops = 0;
    for (auto const [from, to] : edges) {
      if (from == to) {
        ++loops;
        continue;
      }
      increment_shared(degrees.out[labels.vertex(from)]);
      if (both_ends) increment_shared(degrees.out[labels.vertex(to)]);
      if (directed) increment_shared(degrees.in[labels.vertex(to)]);
    }
    self_loops.fetch_add(loops, std::memory_order_relaxed);
  });
  degrees.self_loops = self_loops.load();
  std::uint64_t const expected = (source.facts().edges - degrees.self_loops) * (both_ends ? 2 : 1);
  if (sum_of(degrees.out) != expected || (directed && sum_of(degrees.in) != expected))
    fail(ErrorKind::failure, "{}: a vertex has more than 2^32-1 edges, which this build cannot count",
         source.facts().name);
  return degrees;
}

std::uint64_t choose_threshold(const DegreeHistogram& histogram, std::uint64_t delegates_allowed)
{
  using Bin = DegreeHistogram::Bin;
  Bin all;
  for (Bin const& bin : histogram.bins) {
    all.vertices += bin.vertices;
    all.degree_sum += bin.degree_sum;
  }
  // Few enough of the vertices must carry enough of the edges, or separation only adds a second array to look into
  // (uniform graphs, grids).
  std::uint64_t const allowed = std::min(delegates_allowed, all.vertices / least_vertices_per_delegate);
  Bin above;
  std::uint64_t threshold = plain_threshold;
  for (std::uint64_t degree = DegreeHistogram::highest; degree > 1; --degree) {
    Bin const& bin = histogram.bins[degree];
    if (above.vertices + bin.vertices > allowed) break;
    above.vertices += bin.vertices;
    above.degree_sum += bin.degree_sum;
    threshold = degree - 1;
  }
  bool const hubs_matter = above.vertices > 0 && above.degree_sum >= all.degree_sum / 2;
  return hubs_matter ? threshold : plain_threshold;
}

std::vector<Separation> separations_of(const DegreeHistogram& histogram)
{
  double delegates = 0, normal_ends = 0, ends = 0;
  for (auto const& bin : histogram.bins) {
    delegates += static_cast<double>(bin.vertices);
    ends += static_cast<double>(bin.degree_sum);
  }
  std::vector<Separation> separations;
  auto const separate = [&](std::uint64_t threshold, const DegreeHistogram::Bin& below) {
    delegates -= static_cast<double>(below.vertices);
    normal_ends += static_cast<double>(below.degree_sum);
    if (delegates >= 1) separations.push_back({threshold, delegates, normal_ends * normal_ends / ends});
  };
  for (std::uint64_t degree = 0; degree < DegreeHistogram::highest; ++degree) separate(degree, histogram.bins[degree]);
  for (std::size_t bin = 0; bin < DegreeHistogram::high_bins; ++bin)
    separate(DegreeHistogram::first_degree_of(bin + 1) - 1, histogram.high[bin]);
  return separations;
}

double bytes_to_send(const Separation& separation, int devices)
{
  // Levels in which delegates are found: about half of all on the paper's graphs.
  constexpr double mask_levels = 4;
  return separation.delegates * devices / 4 * mask_levels + 4 * separation.normal_entries;
}

std::uint64_t choose_threshold_of_parts(const DegreeHistogram& histogram, int devices)
{
  if (choose_threshold(histogram, std::numeric_limits<std::uint64_t>::max()) == plain_threshold) return plain_threshold;
  double vertices = 0, ends = 0;
  for (auto const& bin : histogram.bins) {
    vertices += static_cast<double>(bin.vertices);
    ends += static_cast<double>(bin.degree_sum);
  }
  double const allowed = std::min(4 * vertices / devices, vertices / 4);
  Separation const plain{plain_threshold, 0, ends};
  double least = bytes_to_send(plain, devices);
  std::uint64_t best = plain_threshold;
  bool any_allowed = false;
  for (const Separation& separation : separations_of(histogram)) {
    if (separation.threshold >= DegreeHistogram::highest && any_allowed) break;
    if (separation.delegates > allowed) continue;
    any_allowed = true;
    if (double const here = bytes_to_send(separation, devices); here < least) {
      least = here;
      best = separation.threshold;
    }
  }
  return best;
}

double expected_normal_entries(const DegreeHistogram& histogram, std::uint64_t threshold)
{
  double ends = 0, normal_ends = 0;
  auto const add = [&](std::uint64_t degree, const DegreeHistogram::Bin& bin) {
    auto const sum = static_cast<double>(bin.degree_sum);
    ends += sum;
    if (degree <= threshold) normal_ends += sum;
  };
  for (std::uint64_t degree = 0; degree < DegreeHistogram::highest; ++degree) add(degree, histogram.bins[degree]);
  for (std::size_t bin = 0; bin < DegreeHistogram::high_bins; ++bin)
    add(DegreeHistogram::first_degree_of(bin), histogram.high[bin]);
  return ends > 0 ? normal_ends * normal_ends / ends : 0;
}

namespace {

void add(DegreeHistogram::Bin& bin, const DegreeHistogram::Bin& other)
{
  bin.vertices += other.vertices;
  bin.degree_sum += other.degree_sum;
}

}  // namespace

DegreeHistogram histogram_of(std::span<const std::uint32_t> out, std::span<const std::uint32_t> in, Team team)
{
  std::vector<DegreeHistogram> parts(static_cast<std::size_t>(team.threads));
  team.for_blocks(out.size(), 1 << 16, [&](std::uint64_t first, std::uint64_t last, int thread) {
    DegreeHistogram& part = parts[static_cast<std::size_t>(thread)];
    for (std::uint64_t v = first; v < last; ++v) {
      std::uint64_t const degree = std::uint64_t{out[v]} + (in.empty() ? 0 : in[v]);
      add(part.bins[std::min(degree, DegreeHistogram::highest)], {1, degree});
      if (degree >= DegreeHistogram::highest) add(part.high[DegreeHistogram::high_bin(degree)], {1, degree});
    }
  });
  DegreeHistogram whole;
  for (const DegreeHistogram& part : parts) {
    for (std::size_t degree = 0; degree < part.bins.size(); ++degree) add(whole.bins[degree], part.bins[degree]);
    for (std::size_t bin = 0; bin < part.high.size(); ++bin) add(whole.high[bin], part.high[bin]);
  }
  return whole;
}

std::uint64_t choose_threshold(std::span<const std::uint32_t> out, std::span<const std::uint32_t> in, Team team)
{
  // Delegate bits are what every pull tests: they must stay in a core's own cache.
  constexpr std::uint64_t bits_in_cache = std::uint64_t{1} << 19;  // 64 KiB
  return choose_threshold(histogram_of(out, in, team), bits_in_cache);
}

}  // namespace brushfire
