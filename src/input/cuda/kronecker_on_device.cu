// The Graph500 generator on the device, bit for bit as input/kronecker.cpp. Edge i starts i * 2^64 outputs into the
// random sequence. Every thread finds the start of its first edge by a product for each set bit of its
// number, and that of each further edge, as many edges on as there are threads, by one product with a fixed matrix.
#include "device/buffer.hpp"
#include "device/launch.cuh"
#include "input/cuda/device_edges.hpp"

#include <brushfire/error.hpp>

#include <algorithm>
#include <bit>
#include <mutex>

namespace brushfire {

namespace {

constexpr int thread_bits = 20;
constexpr std::uint64_t threads_in_grid = std::uint64_t{1} << thread_bits;
constexpr std::uint64_t edges_in_block = std::uint64_t{1} << 25;  // each thread does 32
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
  NarrowMatrix powers[thread_bits + 1];  // 2^k edges ahead; the last one is from a thread's edge to its next
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

// Both ends of the edge whose random sequence starts at `state`, not yet scrambled.
__device__ VertexPair draw_edge(NarrowState state, int scale)
{
  using Recipe = KroneckerRecipe;
  std::uint32_t source = 0, target = 0;
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

__device__ Vertex scrambled(const Generator& generator, std::uint64_t vertex)
{
  int const shift = 64 - generator.scale;
  std::uint64_t const once = __brevll((vertex + generator.scramble_add) * generator.scramble_factors[0]) >> shift;
  return static_cast<Vertex>(__brevll(once * generator.scramble_factors[1]) >> shift);
}

// `state` is where edge 0 of the block starts. Threads take every threads_in_grid-th edge, so that a warp writes
// 32 neighbouring pairs.
__global__ __launch_bounds__(device::block_threads) void generate_edges_strided(
    const __grid_constant__ Generator generator, NarrowState state, VertexPair* pairs, std::uint64_t count)
{
  std::uint32_t const thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int bit = 0; bit < thread_bits; ++bit)
    if ((thread >> bit & 1) != 0) state = advanced(generator.powers[bit], state);
  for (std::uint64_t i = thread; i < count; i += threads_in_grid) {
    VertexPair const drawn = draw_edge(state, generator.scale);
    pairs[i] = {scrambled(generator, drawn.source), scrambled(generator, drawn.target)};
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

class GeneratedEdges final : public DeviceEdges {
 public:
  explicit GeneratedEdges(const KroneckerEdges& edges)
      : edges_(edges.facts().edges), recipe_(edges.recipe()), block_(std::min(edges_, edges_in_block))
  {
    if (recipe_.scale > 31)
      throw Error(ErrorKind::memory, edges.facts().name + ": has more vertices than one GPU can number; use scale 31");
    generator_.scale = recipe_.scale;
    generator_.scramble_add = recipe_.scramble_add;
    std::copy_n(recipe_.scramble_factors, 2, generator_.scramble_factors);
    for (int bit = 0; bit <= thread_bits; ++bit)
      generator_.powers[bit] = narrow(Graph500Random::power_of_two_steps(64 + bit));
  }

  std::uint64_t edges() const override { return edges_; }

  void for_each_block(const device::Stream& stream, const Use& use) const override
  {
    std::lock_guard const alone(mutex_);
    for (std::uint64_t first = 0; first < edges_; first += edges_in_block) {
      std::uint64_t const count = std::min(edges_in_block, edges_ - first);
      Graph500Random start = recipe_.seeded;
      start.skip(0, first, 0);
      std::uint64_t const threads = std::min(count, threads_in_grid);
      device::launch_over(threads, generate_edges_strided, stream, generator_, narrow(start.state()), block_.data(),
                          count);
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

}  // namespace

std::shared_ptr<const DeviceEdges> generate_on_device(const KroneckerEdges& edges)
{
  return std::make_shared<GeneratedEdges>(edges);
}

}  // namespace brushfire
