#include "build/cuda/device_slots.hpp"

#include "device/launch.cuh"

#include <brushfire/error.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/std/functional>

#include <limits>
#include <string>

namespace brushfire {

namespace {

using Counter = unsigned long long;  // what atomicAdd takes

// `at_target` is null where a tuple counts at its source alone.
__global__ void count_tuple_per_thread(const VertexPair* pairs, std::uint64_t count, std::uint32_t* at_source,
                                       std::uint32_t* at_target, Counter* self_loops)
{
  Counter loops = 0;
  device::for_each_item(count, [&](std::uint64_t i) {
    auto const [source, target] = pairs[i];
    if (source == target) {
      ++loops;
      return;
    }
    atomicAdd(&at_source[source], 1u);
    if (at_target != nullptr) atomicAdd(&at_target[target], 1u);
  });
  if (loops != 0) atomicAdd(self_loops, loops);
}

struct DegreesView {
  const std::uint32_t* out;
  const std::uint32_t* in;  // null for an undirected graph

  __device__ std::uint64_t total(std::uint64_t vertex) const
  {
    return std::uint64_t{out[vertex]} + (in != nullptr ? in[vertex] : 0);
  }
};

DegreesView view_of(const DeviceDegrees& degrees) { return {degrees.out.data(), degrees.in.data()}; }

// How many vertices have each degree. Those of all shared bins are counted in the last place, with their degree sum.
struct HistogramCounts {
  Counter vertices[DegreeHistogram::first_shared + 1];
  Counter shared_sum;
};

__global__ void count_vertices_block_by_block(DegreesView degrees, std::uint64_t vertices, HistogramCounts* counts)
{
  constexpr unsigned bins = DegreeHistogram::first_shared + 1;
  __shared__ unsigned here[bins];
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) here[bin] = 0;
  __syncthreads();
  Counter shared_sum = 0;
  device::for_each_item(vertices, [&](std::uint64_t v) {
    std::uint64_t const degree = degrees.total(v);
    atomicAdd(&here[min(degree, DegreeHistogram::first_shared)], 1u);
    if (degree >= DegreeHistogram::first_shared) shared_sum += degree;
  });
  if (shared_sum != 0) atomicAdd(&counts->shared_sum, shared_sum);
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
    if (here[bin] != 0) atomicAdd(&counts->vertices[bin], Counter{here[bin]});
}

struct IsDelegate {
  DegreesView degrees;
  std::uint64_t threshold;

  __device__ bool operator()(Vertex v) const { return degrees.total(v) > threshold; }
};

__global__ void look_up_degree_per_thread(const Vertex* vertices, std::uint64_t count, DegreesView degrees,
                                          std::uint64_t* looked_up)
{
  device::for_each_item(count, [=](std::uint64_t i) { looked_up[i] = degrees.total(vertices[i]); });
}

__global__ void number_vertex_per_thread(Vertex* slot_of, std::uint64_t vertices, Vertex delegates)
{
  device::for_each_item(vertices, [=](std::uint64_t v) { slot_of[v] = delegates + static_cast<Vertex>(v); });
}

__global__ void number_delegate_per_thread(Vertex* slot_of, const Vertex* delegate_vertices, Vertex delegates)
{
  device::for_each_item(delegates,
                        [=](std::uint64_t rank) { slot_of[delegate_vertices[rank]] = static_cast<Vertex>(rank); });
}

// Vertices of degree above the threshold by rising Vertex, to the front of `found`, which has room for all.
std::uint64_t find_delegates(DegreesView degrees, std::uint64_t threshold, device::Buffer<Vertex>& found,
                             const device::Stream& stream)
{
  device::Buffer<std::uint64_t> count(1);
  device::with_scratch("finding delegates", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<Vertex>(0), found.data(), count.data(),
                                 static_cast<std::int64_t>(found.size()), IsDelegate{degrees, threshold},
                                 stream.handle());
  });
  return value_at(count, 0, stream);
}

// By falling degree. The sort is stable, so vertices of one degree keep their order.
device::Buffer<Vertex> rank_delegates(DegreesView degrees, const device::Buffer<Vertex>& found, std::uint64_t count,
                                      const device::Stream& stream)
{
  constexpr int degree_bits = 33;  // the sum of two 32-bit degrees
  device::Buffer<Vertex> ranked(count);
  device::Buffer<std::uint64_t> keys(count), sorted_keys(count);
  device::launch_over(count, look_up_degree_per_thread, stream, found.data(), count, degrees, keys.data());
  device::with_scratch("ranking delegates", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairsDescending(scratch, bytes, keys.data(), sorted_keys.data(), found.data(),
                                                     ranked.data(), count, 0, degree_bits, stream.handle());
  });
  stream.wait();  // before the keys go
  return ranked;
}

}  // namespace

std::uint64_t sum_of(const device::Buffer<std::uint32_t>& counts, const device::Stream& stream)
{
  device::Buffer<std::uint64_t> sum(1);
  device::with_scratch("summing degrees", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(scratch, bytes, counts.data(), sum.data(), std::uint64_t{counts.size()},
                                     ::cuda::std::plus<std::uint64_t>(), std::uint64_t{0}, stream.handle());
  });
  return value_at(sum, 0, stream);
}

DeviceDegrees count_degrees(const DeviceEdges& edges, Vertex vertices, const DeviceBuildOptions& options,
                            const device::Stream& stream, Progress& progress)
{
  DeviceDegrees degrees;
  degrees.out = device::Buffer<std::uint32_t>(vertices);
  degrees.out.fill_bytes(0, stream);
  if (options.directed) {
    degrees.in = device::Buffer<std::uint32_t>(vertices);
    degrees.in.fill_bytes(0, stream);
  }
  device::Buffer<Counter> self_loops(1);
  self_loops.fill_bytes(0, stream);

  bool const both_ends = !options.directed && !options.listed_twice;
  std::uint32_t* const at_target = both_ends ? degrees.out.data() : degrees.in.data();
  progress.begin("counting degrees", edges.edges(), "edges");
  edges.for_each_block(stream, [&](std::uint64_t, const VertexPair* pairs, std::uint64_t count) {
    device::launch_over(count, count_tuple_per_thread, stream, pairs, count, degrees.out.data(), at_target,
                        self_loops.data());
    progress.advance(count);
  });
  degrees.self_loops = value_at(self_loops, 0, stream);
  progress.end();

  // A counter that wrapped is missing from the sum.
  std::uint64_t const expected = (edges.edges() - degrees.self_loops) * (both_ends ? 2 : 1);
  if (sum_of(degrees.out, stream) != expected || (options.directed && sum_of(degrees.in, stream) != expected))
    throw Error(ErrorKind::failure, "a vertex has more than 2^32-1 edges, which this build cannot count");
  return degrees;
}

DegreeHistogram histogram_of(const DeviceDegrees& degrees, const device::Stream& stream)
{
  constexpr unsigned blocks = 1024;  // each adds a whole histogram at its end
  device::Buffer<HistogramCounts> counts(1);
  counts.fill_bytes(0, stream);
  device::launch(count_vertices_block_by_block, blocks, device::block_threads, stream, view_of(degrees),
                 degrees.out.size(), counts.data());
  HistogramCounts const counted = value_at(counts, 0, stream);
  DegreeHistogram histogram;
  for (std::uint64_t degree = 0; degree < DegreeHistogram::first_shared; ++degree)
    histogram.add(degree, counted.vertices[degree]);
  // Not told apart, and so no threshold among them is chosen.
  histogram.bins.back() = {counted.vertices[DegreeHistogram::first_shared], counted.shared_sum};
  return histogram;
}

std::uint64_t choose_threshold(const DeviceDegrees& degrees, const device::Stream& stream)
{
  return choose_threshold(histogram_of(degrees, stream), most_chosen_delegates);
}

FoundDelegates find_delegates(const DeviceDegrees& degrees, std::uint64_t threshold, const device::Stream& stream)
{
  if (degrees.out.size() == 0) return {};
  device::Buffer<Vertex> found(degrees.out.size());
  std::uint64_t const count = find_delegates(view_of(degrees), threshold, found, stream);
  device::Buffer<std::uint64_t> looked_up(count);
  device::launch_over(count, look_up_degree_per_thread, stream, found.data(), count, view_of(degrees),
                      looked_up.data());
  return {device::to_vector(found, count, stream), device::to_vector(looked_up, count, stream)};
}

DeviceSlots assign_slots(const DeviceDegrees& degrees, std::uint64_t threshold, const device::Stream& stream)
{
  std::uint64_t const vertices = degrees.out.size();
  DeviceSlots slots;
  slots.slot_of = device::Buffer<Vertex>(vertices);
  if (vertices == 0) return slots;
  // Until its own values come, slot_of holds the delegates that were found.
  std::uint64_t const found = find_delegates(view_of(degrees), threshold, slots.slot_of, stream);
  if (found + vertices > std::numeric_limits<Vertex>::max() - 1)
    throw Error(ErrorKind::memory,
                std::to_string(vertices) + " vertices are more than one device can number; use more devices");
  slots.delegates = static_cast<Vertex>(found);
  if (found != 0) slots.delegate_vertices = rank_delegates(view_of(degrees), slots.slot_of, found, stream);
  device::launch_over(vertices, number_vertex_per_thread, stream, slots.slot_of.data(), vertices, slots.delegates);
  device::launch_over(found, number_delegate_per_thread, stream, slots.slot_of.data(), slots.delegate_vertices.data(),
                      slots.delegates);
  return slots;
}

}  // namespace brushfire
