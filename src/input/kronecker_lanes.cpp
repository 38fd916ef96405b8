// All numbers are residues mod p = 2^31 - 1, so they fit 32-bit lanes, and products of two fit 64 bits. A product takes
// every other lane, "even" in place and "odd" shifted down; both are brought back below p together.
#include "input/kronecker_lanes.hpp"

#include "input/kronecker.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

// Inside a function for wider vectors than others may use, everything must be inlined.
#define INLINE_IN_KERNEL inline __attribute__((always_inline))

template <int lanes>
struct Vectors {
  typedef std::uint32_t Narrow __attribute__((vector_size(4 * lanes)));
  typedef std::int32_t Signed __attribute__((vector_size(4 * lanes)));
  typedef std::uint64_t Wide __attribute__((vector_size(4 * lanes)));
};
template <int lanes>
using Narrow = typename Vectors<lanes>::Narrow;
template <int lanes>
using Signed = typename Vectors<lanes>::Signed;
template <int lanes>
using Wide = typename Vectors<lanes>::Wide;

// Residues of all lanes, with those of the odd ones also where a product takes them.
template <int lanes>
struct Residues {
  Wide<lanes> even, odd;  // the upper halves of `even` are the odd lanes

  Residues() = default;
  INLINE_IN_KERNEL explicit Residues(Narrow<lanes> all)
      : even(reinterpret_cast<Wide<lanes>>(all)), odd(reinterpret_cast<Wide<lanes>>(all) >> 32)
  {
  }
};

// Products of the lower halves. It is one instruction, which GCC 12 does not find, however one says that the upper
// halves do not count; from 64-bit products it makes three, and they took twice the time.
template <int lanes>
INLINE_IN_KERNEL Wide<lanes> product(Wide<lanes> a, Wide<lanes> b)
{
#if defined(__x86_64__) && !defined(__clang__)
  Wide<lanes> result;
  if constexpr (lanes > 4) {
    asm("vpmuludq %2, %1, %0" : "=v"(result) : "v"(a), "v"(b));
  } else {
    result = a;
    asm("pmuludq %1, %0" : "+x"(result) : "x"(b));
  }
  return result;
#else
  return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

template <int lanes>
INLINE_IN_KERNEL Wide<lanes> everywhere(std::uint64_t value)
{
  return Wide<lanes>{} + value;
}

template <int lanes>
INLINE_IN_KERNEL Narrow<lanes> smaller(Narrow<lanes> a, Narrow<lanes> b)
{
  return a < b ? a : b;
}

template <int lanes, int... lane>
INLINE_IN_KERNEL Narrow<lanes> pick(Narrow<lanes> even, Narrow<lanes> odd, std::integer_sequence<int, lane...>)
{
  return __builtin_shufflevector(even, odd, (lane % 2 == 0 ? lane : lanes + lane)...);
}

// The lower halves of `even` and the upper halves of `odd`.
template <int lanes>
INLINE_IN_KERNEL Narrow<lanes> join(Wide<lanes> even, Wide<lanes> odd)
{
  return pick<lanes>(reinterpret_cast<Narrow<lanes>>(even), reinterpret_cast<Narrow<lanes>>(odd),
                     std::make_integer_sequence<int, lanes>{});
}

// 2^31 is 1 mod p: high bits may be added to low ones. From numbers below 2^62 - 2^32, the odd ones given twice as
// large.
template <int lanes>
INLINE_IN_KERNEL Narrow<lanes> reduce(Wide<lanes> even, Wide<lanes> odd_doubled)
{
  constexpr auto p = static_cast<std::uint32_t>(Graph500Random::modulus);
  Narrow<lanes> const high = join<lanes>(even >> 31, odd_doubled);
  Narrow<lanes> const low = join<lanes>(even, odd_doubled << 31) & p;
  Narrow<lanes> const sum = high + low;  // below 2p
  return smaller<lanes>(sum, sum - p);   // a difference below zero wraps to a large number
}

template <int lanes>
INLINE_IN_KERNEL Wide<lanes> fold(Wide<lanes> x)
{
  return (x & Graph500Random::modulus) + (x >> 31);
}

template <int lanes>
using States = std::array<Residues<lanes>, 5>;

template <int lanes>
using Steps = std::array<std::array<Wide<lanes>, 5>, 5>;  // a matrix, each number in all lanes

template <int lanes>
INLINE_IN_KERNEL void advance(States<lanes>& z, const Steps<lanes>& steps)
{
  States<lanes> moved;
  for (std::size_t row = 0; row < 5; ++row) {
    // Four products fit in 64 bits, the fifth does not.
    Wide<lanes> even{}, odd{};
    for (std::size_t k = 0; k < 4; ++k) {
      even += product<lanes>(z[k].even, steps[row][k]);
      odd += product<lanes>(z[k].odd, steps[row][k]);
    }
    even = fold<lanes>(even) + fold<lanes>(product<lanes>(z[4].even, steps[row][4]));
    odd = fold<lanes>(odd) + fold<lanes>(product<lanes>(z[4].odd, steps[row][4]));
    moved[row] = Residues<lanes>(reduce<lanes>(even, odd + odd));
  }
  z = moved;
}

// A number r chooses its quadrant by r % 10000: B, C, A, D in rising order. Only where the remainder lies counts, so
// the fraction of r / 10000 is compared instead: 44 bits of it by a product with the reciprocal, rounded up, then the
// upper 32. The product is too large by 5584 r / 10000 < 2^31 for multiples of 2^44 / 10000 > 2^30.7, so no remainder
// is taken for the next.
constexpr std::uint64_t reciprocal = (std::uint64_t{1} << 44) / KroneckerRecipe::quadrant_range + 1;
constexpr std::uint32_t fraction_of(std::uint64_t remainder)
{
  return static_cast<std::uint32_t>(remainder * reciprocal >> 12);
}

template <int lanes>
INLINE_IN_KERNEL Narrow<lanes> below(Narrow<lanes> x, std::uint32_t bound)
{
  return reinterpret_cast<Narrow<lanes>>(reinterpret_cast<Signed<lanes>>(x) < static_cast<std::int32_t>(bound));
}

// Quadrants of some levels, a bit each, the last level lowest.
template <int lanes>
struct Quadrants {
  Narrow<lanes> differ{};                     // B or C: the bits of source and target differ
  Narrow<lanes> target{};                     // B or D
  Narrow<lanes> smallest = ~Narrow<lanes>{};  // number drawn
};

template <int lanes>
INLINE_IN_KERNEL Quadrants<lanes> draw(States<lanes>& z, int levels)
{
  // There are only comparisons with signs, so fractions turn until what is asked for begins at the lowest number.
  constexpr std::uint32_t lowest = std::uint32_t{1} << 31;
  constexpr std::uint32_t before_b = -fraction_of(KroneckerRecipe::below_a);  // D, which comes before B again
  constexpr std::uint32_t differ_below = fraction_of(KroneckerRecipe::below_c) + lowest;
  constexpr std::uint32_t target_below = fraction_of(KroneckerRecipe::below_b) + before_b + lowest;

  Quadrants<lanes> drawn;
  Wide<lanes> const newest = everywhere<lanes>(Graph500Random::factor_newest);
  Wide<lanes> const oldest = everywhere<lanes>(Graph500Random::factor_oldest);
  Wide<lanes> const inverse = everywhere<lanes>(reciprocal);
  for (int level = 0; level < levels; ++level) {
    Wide<lanes> const even = product<lanes>(z[0].even, newest) + product<lanes>(z[4].even, oldest);
    Wide<lanes> const odd = product<lanes>(z[0].odd, newest + newest) + product<lanes>(z[4].odd, oldest + oldest);
    Narrow<lanes> const number = reduce<lanes>(even, odd);
    z = {Residues<lanes>(number), z[0], z[1], z[2], z[3]};
    drawn.smallest = smaller<lanes>(drawn.smallest, number);
    Narrow<lanes> const fraction =
        join<lanes>(product<lanes>(z[0].even, inverse) >> 12, product<lanes>(z[0].odd, inverse) << 20);
    drawn.differ = drawn.differ + drawn.differ - below<lanes>(fraction + lowest, differ_below);
    drawn.target = drawn.target + drawn.target - below<lanes>(fraction + (before_b + lowest), target_below);
  }
  return drawn;
}

template <int width>
using Word = std::conditional_t<width == 32, std::uint32_t, std::uint64_t>;

// While both prefixes are equal the tuple is kept in the upper triangle: where they first differ, C counts as B.
template <int width, typename Words>
INLINE_IN_KERNEL Words in_upper_triangle(Words target, Words differ)
{
  Words to_first = differ;
  for (int shift = 1; shift < width; shift *= 2) to_first |= to_first >> shift;
  return target | (to_first ^ (to_first >> 1));
}

template <int width, typename Words>
INLINE_IN_KERNEL Words reverse_bits(Words x)
{
  for (int distance = 1; distance < width; distance *= 2) {
    Word<width> const lower = ~Word<width>{0} / ((Word<width>{1} << distance) + 1);  // of every two fields as wide
    x = ((x >> distance) & lower) | ((x & lower) << distance);
  }
  return x;
}

// The lowest bits of a product depend on the lowest bits of its factors alone, so words need not be wider than labels.
template <int width, typename Words>
INLINE_IN_KERNEL Words scrambled(Words vertex, const KroneckerScramble& scramble)
{
  int const unused = width - scramble.scale;
  auto const add = static_cast<Word<width>>(scramble.add);
  auto const first = static_cast<Word<width>>(scramble.factors[0]);
  auto const second = static_cast<Word<width>>(scramble.factors[1]);
  Words const once = reverse_bits<width>((vertex + add) * first) >> unused;
  return reverse_bits<width>(once * second) >> unused;
}

template <int width, typename Words>
INLINE_IN_KERNEL std::array<Words, 2> ends(Words differ, Words target, const KroneckerScramble& scramble)
{
  target = in_upper_triangle<width>(target, differ);
  return {scrambled<width>(target ^ differ, scramble), scrambled<width>(target, scramble)};
}

template <int lanes>
INLINE_IN_KERNEL void generate_in_lanes(const Graph500Random::State& start, const Graph500Random::Matrix& to_next_edge,
                                        const Graph500Random::Matrix& to_next_lanes, const KroneckerScramble& scramble,
                                        std::span<Edge> out, char* redrawn)
{
  constexpr int most_levels = 32;  // whose quadrants fit the lanes
  Narrow<lanes> starts[5];
  Graph500Random::State state = start;
  for (int lane = 0; lane < lanes; ++lane) {
    for (std::size_t word = 0; word < 5; ++word) starts[word][lane] = static_cast<std::uint32_t>(state[word]);
    state = Graph500Random::multiply(to_next_edge, state);
  }
  States<lanes> z;
  for (std::size_t word = 0; word < 5; ++word) z[word] = Residues<lanes>(starts[word]);

  Steps<lanes> steps;
  for (std::size_t row = 0; row < 5; ++row)
    for (std::size_t k = 0; k < 5; ++k) steps[row][k] = everywhere<lanes>(to_next_lanes[row][k]);

  for (std::size_t first = 0; first < out.size(); first += lanes) {
    std::size_t const count = std::min<std::size_t>(lanes, out.size() - first);
    States<lanes> drawing = z;
    Narrow<lanes> smallest;
    if (scramble.scale <= most_levels) {
      Quadrants<lanes> const drawn = draw<lanes>(drawing, scramble.scale);
      auto const both = ends<32>(drawn.differ, drawn.target, scramble);
      std::array<std::array<std::uint32_t, lanes>, 2> labels;
      std::memcpy(&labels, &both, sizeof labels);
      for (std::size_t i = 0; i < count; ++i) out[first + i] = {labels[0][i], labels[1][i]};
      smallest = drawn.smallest;
    } else {
      Quadrants<lanes> const upper = draw<lanes>(drawing, scramble.scale - most_levels);
      Quadrants<lanes> const lower = draw<lanes>(drawing, most_levels);
      for (std::size_t i = 0; i < count; ++i) {
        auto const both = ends<64>(std::uint64_t{upper.differ[i]} << most_levels | lower.differ[i],
                                   std::uint64_t{upper.target[i]} << most_levels | lower.target[i], scramble);
        out[first + i] = {static_cast<Label>(both[0]), static_cast<Label>(both[1])};
      }
      smallest = smaller<lanes>(upper.smallest, lower.smallest);
    }
    auto const hits = reinterpret_cast<Wide<lanes>>(smallest < KroneckerRecipe::redraw_below);
    std::uint64_t any = 0;
    for (int i = 0; i < lanes / 2; ++i) any |= hits[i];
    redrawn[first / lanes] = any != 0;
    advance<lanes>(z, steps);
  }
}

// A function for the vectors of one kind of processor.
#define KERNEL(name, lanes, ...)                                                                        \
  __VA_ARGS__ void name(const Graph500Random::State& start, const Graph500Random::Matrix& to_next_edge, \
                        const Graph500Random::Matrix& to_next_lanes, const KroneckerScramble& scramble, \
                        std::span<Edge> out, char* redrawn)                                             \
  {                                                                                                     \
    generate_in_lanes<lanes>(start, to_next_edge, to_next_lanes, scramble, out, redrawn);               \
  }

KERNEL(generate_by_fours, 4)
#if defined(__x86_64__) && !defined(__clang__)
KERNEL(generate_by_eights, 8, __attribute__((target("avx2"))))
KERNEL(generate_by_sixteens, 16, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))))
#endif

std::vector<KroneckerLanes> find_usable()
{
  std::vector<KroneckerLanes> usable;
#if defined(__x86_64__) && !defined(__clang__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    usable.push_back({16, generate_by_sixteens});
  if (__builtin_cpu_supports("avx2")) usable.push_back({8, generate_by_eights});
#endif
  usable.push_back({4, generate_by_fours});
  return usable;
}

}  // namespace

Label KroneckerScramble::operator()(std::uint64_t vertex) const
{
  return static_cast<Label>(scrambled<64>(vertex, *this));
}

std::span<const KroneckerLanes> usable_kronecker_lanes()
{
  static const std::vector<KroneckerLanes> usable = find_usable();
  return usable;
}

}  // namespace brushfire
