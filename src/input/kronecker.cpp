#include "input/kronecker.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace brushfire {

KroneckerEdges::KroneckerEdges(int scale, std::uint64_t edge_factor, KroneckerSeeds seeds)
    : KroneckerEdges(fmt::format("kron:{}:{}", scale, edge_factor), scale, edge_factor, seeds)
{
}

KroneckerEdges::KroneckerEdges(std::string_view name, int scale, std::uint64_t edge_factor, KroneckerSeeds seeds)
    : EdgeSource({}), scale_(scale), seeded_(seeds.first, seeds.second)
{
  if (scale > 56 || edge_factor > (std::uint64_t{1} << (62 - scale)))
    fail(ErrorKind::memory, "{}: a graph of this scale fits no memory there is; choose a smaller scale", name);
  std::uint64_t const vertices = std::uint64_t{1} << scale;
  facts_.name = name;
  facts_.edges = edge_factor << scale;
  facts_.declared = LabelRange{0, vertices};

  Graph500Random random = seeded_;
  random.skip(50, 7, 0);
  auto const draw_scramble = [&random] {
    std::uint64_t const high = random.next();
    return high * 0xffffffffu + random.next();
  };
  std::uint64_t const value0 = draw_scramble();
  std::uint64_t const value1 = draw_scramble();
  scramble_ = {value0 + value1, {value0 | 0x4519840211493211, value1 | 0x3050852102c843a5}, scale};
  to_next_edge_ = Graph500Random::power_of_two_steps(64);
}

void KroneckerEdges::read(std::uint64_t first, std::span<Edge> out) const
{
  read_in_lanes(usable_kronecker_lanes().front(), first, out);
}

void KroneckerEdges::read_in_lanes(const KroneckerLanes& kernel, std::uint64_t first, std::span<Edge> out) const
{
  constexpr std::uint64_t piece = 8192;  // edges between two looks for redraws
  auto const lanes = static_cast<std::uint64_t>(kernel.lanes);
  auto const to_next_lanes = Graph500Random::power_of_two_steps(64 + std::countr_zero(lanes));
  std::vector<char> redrawn((std::min<std::uint64_t>(piece, out.size()) + lanes - 1) / lanes);
  for (std::uint64_t done = 0; done < out.size(); done += piece) {
    std::uint64_t const count = std::min<std::uint64_t>(piece, out.size() - done);
    Graph500Random start = seeded_;
    start.skip(0, first + done, 0);
    kernel.generate(start.state(), to_next_edge_, to_next_lanes, scramble_, out.subspan(done, count), redrawn.data());
    // A redraw shifts the rest of its edge's sequence: 4 edges in 100,000 are done again one number at a time.
    for (std::uint64_t group = 0; group * lanes < count; ++group) {
      if (redrawn[group] == 0) continue;
      Graph500Random edge_start = seeded_;
      edge_start.skip(0, first + done + group * lanes, 0);
      for (std::uint64_t i = group * lanes; i < std::min(count, (group + 1) * lanes); ++i) {
        out[done + i] = slow_edge(edge_start);
        edge_start = Graph500Random(Graph500Random::multiply(to_next_edge_, edge_start.state()));
      }
    }
  }
}

Edge KroneckerEdges::slow_edge(Graph500Random random) const
{
  std::uint64_t source = 0, target = 0;
  for (int level = 0; level < scale_; ++level) {
    std::uint64_t r = random.next();
    while (r < KroneckerRecipe::redraw_below) r = random.next();
    std::uint64_t const v = r % KroneckerRecipe::quadrant_range;
    int const quadrant = v < KroneckerRecipe::below_b   ? 1
                         : v < KroneckerRecipe::below_c ? 2
                         : v < KroneckerRecipe::below_a ? 0
                                                        : 3;
    std::uint64_t source_bit = quadrant / 2, target_bit = quadrant % 2;
    if (source == target && source_bit > target_bit) std::swap(source_bit, target_bit);
    source = 2 * source + source_bit;
    target = 2 * target + target_bit;
  }
  return {scramble(source), scramble(target)};
}

Graph500Roots::Graph500Roots(std::uint64_t vertices, KroneckerSeeds seeds)
    : vertices_(vertices), seeded_(seeds.first, seeds.second)
{
}

Label Graph500Roots::next()
{
  Graph500Random random = seeded_;
  random.skip(2, 0, 2 * counter_);
  counter_ += 2;
  double const first = random.next_double();
  double const sum = first + random.next_double();
  return static_cast<Label>(static_cast<std::uint64_t>(sum * static_cast<double>(vertices_)) % vertices_);
}

}  // namespace brushfire
