#include "input/kronecker.hpp"

#include "base/error.hpp"
#include "base/simd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace brushfire {

namespace {

constexpr int lane_count = 8;
// Eight edges side by side; the compiler splits it where registers are narrower.
typedef std::uint64_t Lanes __attribute__((vector_size(lane_count * sizeof(std::uint64_t))));

#define INLINE_IN_CLONE inline __attribute__((always_inline))

constexpr std::uint64_t modulus = Graph500Random::modulus;
// As wide as a lane.
constexpr std::uint64_t redraw_below = KroneckerRecipe::redraw_below;
constexpr std::uint64_t quadrant_range = KroneckerRecipe::quadrant_range;
constexpr std::uint64_t below_a = KroneckerRecipe::below_a;
constexpr std::uint64_t below_b = KroneckerRecipe::below_b;
constexpr std::uint64_t below_c = KroneckerRecipe::below_c;

// A smaller number that is the same mod p: 2^31 is 1 mod p, so the high bits may be added to the low ones. One fold
// brings x < 2^59 below 2p; from 64 bits it takes two.
INLINE_IN_CLONE void fold(Lanes& x) { x = (x & modulus) + (x >> 31); }

// Finishes the reduction of x < 2p.
INLINE_IN_CLONE void subtract_modulus(Lanes& x) { x = x >= modulus ? x - modulus : x; }

INLINE_IN_CLONE void advance_lanes(std::array<Lanes, 5>& z, const Graph500Random::Matrix& matrix)
{
  std::array<Lanes, 5> moved;
  for (int row = 0; row < 5; ++row) {
    // Four products of 31-bit numbers fit in 64 bits, the fifth does not.
    Lanes sum = matrix[row][0] * z[0] + matrix[row][1] * z[1] + matrix[row][2] * z[2] + matrix[row][3] * z[3];
    fold(sum);
    sum += matrix[row][4] * z[4];
    fold(sum);
    fold(sum);
    subtract_modulus(sum);
    moved[row] = sum;
  }
  z = moved;
}

// Unscrambled ends of eight edges from their starting states. Returns lanes that met a redraw in `again`.
INLINE_IN_CLONE void draw_edges(const std::array<Lanes, 5>& start, int scale, Lanes& source, Lanes& target,
                                Lanes& again)
{
  std::array<Lanes, 5> z = start;
  source = target = again = Lanes{};
  Lanes equal = ~Lanes{};
  for (int level = 0; level < scale; ++level) {
    Lanes fresh = Graph500Random::factor_newest * z[0] + Graph500Random::factor_oldest * z[4];
    fold(fresh);
    subtract_modulus(fresh);
    z = {fresh, z[0], z[1], z[2], z[3]};
    again |= fresh < redraw_below ? ~Lanes{} : Lanes{};
    // Division of a 31-bit number by 10000 as a product with its reciprocal.
    Lanes const v = fresh - ((fresh * 3518437209u) >> 45) * quadrant_range;
    Lanes const one = Lanes{} + 1;
    Lanes const in_d = v >= below_a ? one : Lanes{};
    Lanes const in_b = v < below_b ? one : Lanes{};
    Lanes const in_c = (v < below_c ? one : Lanes{}) - in_b;
    // While both prefixes are equal the tuple is kept in the upper triangle: quadrant C counts as B.
    Lanes const source_bit = in_d | (in_c & ~equal);
    Lanes const target_bit = in_d | in_b | (in_c & equal);
    equal = source_bit == target_bit ? equal : Lanes{};
    source = source + source + source_bit;
    target = target + target + target_bit;
  }
}

INLINE_IN_CLONE std::uint64_t reverse_bits(std::uint64_t x)
{
  x = ((x >> 1) & 0x5555555555555555) | ((x & 0x5555555555555555) << 1);
  x = ((x >> 2) & 0x3333333333333333) | ((x & 0x3333333333333333) << 2);
  x = ((x >> 4) & 0x0f0f0f0f0f0f0f0f) | ((x & 0x0f0f0f0f0f0f0f0f) << 4);
  return __builtin_bswap64(x);
}

struct Scramble {
  std::uint64_t add, first_factor, second_factor;
  int scale;

  INLINE_IN_CLONE Label operator()(std::uint64_t vertex) const
  {
    std::uint64_t const once = reverse_bits((vertex + add) * first_factor) >> (64 - scale);
    return static_cast<Label>(reverse_bits(once * second_factor) >> (64 - scale));
  }
};

// Fills `out` with edges whose random sequences start at z, z moved by `stride`, and so on, eight at a time.
// redrawn[g] tells whether group g of eight met a redraw.
BRUSHFIRE_VECTOR_CLONES
void generate_edges(std::array<Lanes, 5>& z, const Graph500Random::Matrix& stride, Scramble scramble, Edge* out,
                    std::uint64_t count, bool* redrawn)
{
  for (std::uint64_t first = 0; first < count; first += lane_count) {
    Lanes source, target, again;
    draw_edges(z, scramble.scale, source, target, again);
    bool any_again = false;
    std::uint64_t const here = std::min<std::uint64_t>(lane_count, count - first);
    for (std::uint64_t lane = 0; lane < here; ++lane) {
      out[first + lane] = {scramble(source[lane]), scramble(target[lane])};
      any_again |= again[lane] != 0;
    }
    redrawn[first / lane_count] = any_again;
    advance_lanes(z, stride);
  }
}

}  // namespace

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
  scramble_add_ = value0 + value1;
  scramble_factors_[0] = value0 | 0x4519840211493211;
  scramble_factors_[1] = value1 | 0x3050852102c843a5;

  to_next_edge_ = Graph500Random::power_of_two_steps(64);
  to_next_lanes_ = Graph500Random::power_of_two_steps(64 + 3);
  static_assert(lane_count == 1 << 3);
}

Label KroneckerEdges::scramble(std::uint64_t vertex) const
{
  return Scramble{scramble_add_, scramble_factors_[0], scramble_factors_[1], scale_}(vertex);
}

void KroneckerEdges::read(std::uint64_t first, std::span<Edge> out) const
{
  constexpr std::uint64_t piece = 8192;  // edges between two looks for redraws
  for (std::uint64_t done = 0; done < out.size(); done += piece) {
    std::uint64_t const count = std::min<std::uint64_t>(piece, out.size() - done);
    Graph500Random start = seeded_;
    start.skip(0, first + done, 0);
    std::array<Lanes, 5> z;
    Graph500Random::State lane_state = start.state();
    for (int lane = 0; lane < lane_count; ++lane) {
      for (int word = 0; word < 5; ++word) z[word][lane] = lane_state[word];
      lane_state = Graph500Random::multiply(to_next_edge_, lane_state);
    }
    bool redrawn[piece / lane_count];
    generate_edges(z, to_next_lanes_, {scramble_add_, scramble_factors_[0], scramble_factors_[1], scale_},
                   out.data() + done, count, redrawn);
    // A redraw shifts the rest of its edge's sequence: 2 edges in 100,000 are done again one number at a time.
    for (std::uint64_t group = 0; group * lane_count < count; ++group) {
      if (!redrawn[group]) continue;
      Graph500Random edge_start = seeded_;
      edge_start.skip(0, first + done + group * lane_count, 0);
      for (std::uint64_t i = group * lane_count; i < std::min(count, (group + 1) * lane_count); ++i) {
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
    while (r < redraw_below) r = random.next();
    std::uint64_t const v = r % quadrant_range;
    int const quadrant = v < below_b ? 1 : v < below_c ? 2 : v < below_a ? 0 : 3;
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
