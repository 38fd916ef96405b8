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

using Bin = DegreeHistogram::Bin;

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

Bin& Bin::operator+=(const Bin& other)
{
  vertices += other.vertices;
  degree_sum += other.degree_sum;
  return *this;
}

Bin DegreeHistogram::all() const
{
  Bin sum;
  for (const Bin& bin : bins) sum += bin;
  return sum;
}

Bin DegreeHistogram::above(std::uint64_t threshold) const
{
  Bin sum;
  for (std::size_t bin = 0; bin < bins.size(); ++bin)
    if (first_degree_of(bin) > threshold) sum += bins[bin];
  return sum;
}

std::uint64_t choose_threshold(const DegreeHistogram& histogram, std::uint64_t delegates_allowed)
{
  // Few enough of the vertices must carry enough of the edges, or separation only adds a second array to look into
  // (uniform graphs, grids).
  Bin const all = histogram.all();
  std::uint64_t const allowed = std::min(delegates_allowed, all.vertices / least_vertices_per_delegate);
  std::uint64_t threshold = DegreeHistogram::first_shared - 1;  // a GPU does not tell higher degrees apart
  Bin above = histogram.above(threshold);
  if (above.vertices > allowed) return plain_threshold;
  for (; threshold > 1 && above.vertices + histogram.bins[threshold].vertices <= allowed; --threshold)
    above += histogram.bins[threshold];
  bool const hubs_matter = above.vertices > 0 && above.degree_sum >= all.degree_sum / 2;
  return hubs_matter ? threshold : plain_threshold;
}

namespace {

Separation separation_into(const Bin& all, const Bin& delegates, std::uint64_t threshold)
{
  auto const ends = static_cast<double>(all.degree_sum);
  auto const normal_ends = static_cast<double>(all.degree_sum - delegates.degree_sum);
  return {threshold, static_cast<double>(delegates.vertices), ends > 0 ? normal_ends * normal_ends / ends : 0};
}

}  // namespace

Separation separation_at(std::uint64_t threshold, const DegreeHistogram& histogram)
{
  return separation_into(histogram.all(), histogram.above(threshold), threshold);
}

std::vector<Separation> separations_of(const DegreeHistogram& histogram)
{
  Bin const all = histogram.all();
  std::vector<Separation> separations;
  Bin delegates;
  for (std::size_t bin = DegreeHistogram::size; --bin > 0;) {
    delegates += histogram.bins[bin];
    if (delegates.vertices > 0)
      separations.push_back(separation_into(all, delegates, DegreeHistogram::first_degree_of(bin) - 1));
  }
  std::ranges::reverse(separations);
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
  auto const vertices = static_cast<double>(histogram.all().vertices);
  double const allowed = std::min(4 * vertices / devices, vertices / 4);
  std::uint64_t best = plain_threshold;
  double least = bytes_to_send(separation_at(best, histogram), devices);
  bool any_allowed = false;
  for (const Separation& separation : separations_of(histogram)) {
    if (separation.threshold >= DegreeHistogram::first_shared && any_allowed) break;
    if (separation.delegates > allowed) continue;
    any_allowed = true;
    if (double const here = bytes_to_send(separation, devices); here < least) {
      least = here;
      best = separation.threshold;
    }
  }
  return best;
}

DegreeHistogram histogram_of(std::span<const std::uint32_t> out, std::span<const std::uint32_t> in, Team team)
{
  std::vector<DegreeHistogram> parts(static_cast<std::size_t>(team.threads));
  team.for_blocks(out.size(), 1 << 16, [&](std::uint64_t first, std::uint64_t last, int thread) {
    DegreeHistogram& part = parts[static_cast<std::size_t>(thread)];
    for (std::uint64_t v = first; v < last; ++v) {
      std::uint64_t const degree = std::uint64_t{out[v]} + (in.empty() ? 0 : in[v]);
      part.add(degree, 1);
    }
  });
  DegreeHistogram whole;
  for (const DegreeHistogram& part : parts)
    for (std::size_t bin = 0; bin < part.bins.size(); ++bin) whole.bins[bin] += part.bins[bin];
  return whole;
}

std::uint64_t choose_threshold(std::span<const std::uint32_t> out, std::span<const std::uint32_t> in, Team team)
{
  // Delegate bits are what every pull tests: they must stay in a core's own cache.
  constexpr std::uint64_t bits_in_cache = std::uint64_t{1} << 19;  // 64 KiB
  return choose_threshold(histogram_of(out, in, team), bits_in_cache);
}

}  // namespace brushfire
