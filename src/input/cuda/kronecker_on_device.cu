// The Graph500 generator on the device, bit for bit as input/kronecker.cpp. Edge i starts i * 2^64 outputs into the
// random sequence. Every thread finds the start of its first edge by a product for each set bit of its
// number, and that of each further edge, as many edges on as there are threads, by one product with a fixed matrix.
#include "device/buffer.hpp"
#include "device/launch.cuh"
#include "input/cuda/device_edges.hpp"
#include "input/cuda/tuples_on_device.hpp"

#include <brushfire/error.hpp>

#include <algorithm>
#include <bit>
#include <mutex>

namespace brushfire {

namespace {

constexpr int most_thread_bits = 20;
constexpr std::uint64_t edges_in_block = std::uint64_t{1} << 25;  // each thread does 32
// A share is read in smaller blocks, by several devices at a time: each thread does 16 of 2^21 edges.
constexpr int share_thread_bits = 17;
constexpr std::uint32_t modulus = Graph500Random::modulus;

struct NarrowState {
  std::uint32_t z[5];
};
struct NarrowMatrix {
  std::uint32_t factor[5][5];
};

// What all threads of a launch share; it travels as a parameter and is read from constant memory.
struct Generator {
  int scale;
  std::uint64_t scramble_add;
  std::uint64_t scramble_factors[2];
  NarrowMatrix powers[most_thread_bits + 1];  // 2^k edges ahead; that of all threads is from an edge to the next
};

// 2^31 is 1 mod p, so high bits may be added to the low ones. One fold brings x < 2^59 below 2p.
__device__ std::uint64_t fold(std::uint64_t x) { return (x & modulus) + (x >> 31); }

// Finishes the reduction of x < 2p: below p the difference wraps around and is the larger one.
__device__ std::uint32_t reduced(std::uint32_t x)
{
  std::uint32_t const less = x - modulus;
  return less < x ? less : x;
}

__device__ std::uint64_t product(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} * b; }

__device__ NarrowState advanced(const NarrowMatrix& matrix, const NarrowState& state)
{
  NarrowState moved;
#pragma unroll
  for (int row = 0; row < 5; ++row) {
    const std::uint32_t* const factor = matrix.factor[row];
    // Four products of 31-bit numbers fit in 64 bits, the fifth does not.
    std::uint64_t sum = product(factor[0], state.z[0]) + product(factor[1], state.z[1]) +
                        product(factor[2], state.z[2]) + product(factor[3], state.z[3]);
    sum = fold(sum) + product(factor[4], state.z[4]);
    moved.z[row] = reduced(static_cast<std::uint32_t>(fold(fold(sum))));
  }
  return moved;
}

__device__ std::uint32_t next_random(NarrowState& state)
{
  std::uint64_t const sum = product(static_cast<std::uint32_t>(Graph500Random::factor_newest), state.z[0]) +
                            product(static_cast<std::uint32_t>(Graph500Random::factor_oldest), state.z[4]);
  std::uint32_t const fresh = reduced(static_cast<std::uint32_t>(fold(sum)));
  state = {{fresh, state.z[0], state.z[1], state.z[2], state.z[3]}};
  return fresh;
}

// Both ends of an edge in so many bits.
template <typename Number>
struct Ends {
  Number source, target;
};

// Those of the edge whose random sequence starts at `state`, not yet scrambled.
template <typename Number>
__device__ Ends<Number> draw_edge(NarrowState state, int scale)
{
  using Recipe = KroneckerRecipe;
  Number source = 0, target = 0;
  for (int level = 0; level < scale; ++level) {
    std::uint32_t random = next_random(state);
    while (random < Recipe::redraw_below) random = next_random(state);
    std::uint32_t const v = random % Recipe::quadrant_range;
    bool const in_d = v >= Recipe::below_a, in_b = v < Recipe::below_b, in_c = !in_b && v < Recipe::below_c;
    // While both prefixes are equal the tuple is kept in the upper triangle: quadrant C counts as B.
    bool const equal = source == target;
    source = 2 * source + (in_d || (in_c && !equal));
    target = 2 * target + (in_d || in_b || (in_c && equal));
  }
  return {source, target};
}

__device__ std::uint64_t scrambled(const Generator& generator, std::uint64_t vertex)
{
  int const shift = 64 - generator.scale;
  std::uint64_t const once = __brevll((vertex + generator.scramble_add) * generator.scramble_factors[0]) >> shift;
  return __brevll(once * generator.scramble_factors[1]) >> shift;
}

// `state` is where edge 0 of the block starts. Threads take every 2^thread_bits-th edge, so that a warp writes
// 32 neighbouring pairs.
template <int thread_bits, typename Number, typename Pair>
__global__ __launch_bounds__(device::block_threads) void generate_edges_strided(
    const __grid_constant__ Generator generator, NarrowState state, Pair* pairs, std::uint64_t count)
{
  using End = decltype(Pair::source);
  constexpr std::uint64_t threads_in_grid = std::uint64_t{1} << thread_bits;
  std::uint32_t const thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int bit = 0; bit < thread_bits; ++bit)
    if ((thread >> bit & 1) != 0) state = advanced(generator.powers[bit], state);
  for (std::uint64_t i = thread; i < count; i += threads_in_grid) {
    auto const drawn = draw_edge<Number>(state, generator.scale);
    pairs[i] = {static_cast<End>(scrambled(generator, drawn.source)),
                static_cast<End>(scrambled(generator, drawn.target))};
    state = advanced(generator.powers[thread_bits], state);
  }
}

NarrowState narrow(const Graph500Random::State& state)
{
  NarrowState result;
  for (int word = 0; word < 5; ++word) result.z[word] = static_cast<std::uint32_t>(state[word]);
  return result;
}

NarrowMatrix narrow(const Graph500Random::Matrix& matrix)
{
  NarrowMatrix result;
  for (int row = 0; row < 5; ++row)
    for (int column = 0; column < 5; ++column)
      result.factor[row][column] = static_cast<std::uint32_t>(matrix[row][column]);
  return result;
}

Generator generator_of(const KroneckerRecipe& recipe)
{
  Generator generator;
  generator.scale = recipe.scale;
  generator.scramble_add = recipe.scramble_add;
  std::copy_n(recipe.scramble_factors, 2, generator.scramble_factors);
  for (int bit = 0; bit <= most_thread_bits; ++bit)
    generator.powers[bit] = narrow(Graph500Random::power_of_two_steps(64 + bit));
  return generator;
}

// Edges first ... first + count - 1.
template <int thread_bits, typename Number, typename Pair>
void generate(const KroneckerRecipe& recipe, const Generator& generator, std::uint64_t first, std::uint64_t count,
              Pair* pairs, const device::Stream& stream)
{
  Graph500Random start = recipe.seeded;
  start.skip(0, first, 0);
  std::uint64_t const threads = std::min(count, std::uint64_t{1} << thread_bits);
  device::launch_over(threads, generate_edges_strided<thread_bits, Number, Pair>, stream, generator,
                      narrow(start.state()), pairs, count);
}

class GeneratedEdges final : public DeviceEdges {
 public:
  explicit GeneratedEdges(const KroneckerEdges& edges)
      : edges_(edges.facts().edges),
        recipe_(edges.recipe()),
        generator_(generator_of(recipe_)),
        block_(std::min(edges_, edges_in_block))
  {
    if (recipe_.scale > 31)
      throw Error(ErrorKind::memory, edges.facts().name + ": has more vertices than one GPU can number; use scale 31");
  }

  std::uint64_t edges() const override { return edges_; }

  void for_each_block(const device::Stream& stream, const Use& use) const override
  {
    std::lock_guard const alone(mutex_);
    for (std::uint64_t first = 0; first < edges_; first += edges_in_block) {
      std::uint64_t const count = std::min(edges_in_block, edges_ - first);
      generate<most_thread_bits, std::uint32_t>(recipe_, generator_, first, count, block_.data(), stream);
      use(first, block_.data(), count);
    }
    stream.wait();  // the next pass may use another stream
  }

 private:
  std::uint64_t edges_;
  KroneckerRecipe recipe_;
  Generator generator_;
  mutable std::mutex mutex_;  // one pass at a time has the block
  mutable device::Buffer<VertexPair> block_;
};

class GeneratedShare final : public TuplesOnDevice {
 public:
  GeneratedShare(const KroneckerEdges& edges, std::uint64_t first, std::uint64_t count)
      : recipe_(edges.recipe()), generator_(generator_of(recipe_)), first_(first), count_(count)
  {
  }

  std::uint64_t size() const override { return count_; }

  void read(std::uint64_t first, std::uint64_t count, IndexPair* pairs, const device::Stream& stream) override
  {
    if (recipe_.scale <= 32)
      generate<share_thread_bits, std::uint32_t>(recipe_, generator_, first_ + first, count, pairs, stream);
    else
      generate<share_thread_bits, std::uint64_t>(recipe_, generator_, first_ + first, count, pairs, stream);
  }

 private:
  KroneckerRecipe recipe_;
  Generator generator_;
  std::uint64_t first_, count_;
};

}  // namespace

std::shared_ptr<const DeviceEdges> generate_on_device(const KroneckerEdges& edges)
{
  return std::make_shared<GeneratedEdges>(edges);
}

std::unique_ptr<TuplesOnDevice> generate_share(const KroneckerEdges& edges, std::uint64_t first, std::uint64_t count)
{
  return std::make_unique<GeneratedShare>(edges, first, count);
}

}  // namespace brushfire
