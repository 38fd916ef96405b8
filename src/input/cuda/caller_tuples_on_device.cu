// Arrays of the caller's in the memory of the GPU, read where they are: looked at once, then made into pairs block by
// block in each pass. A caller who changes them meanwhile gets wrong vertices, but none outside of the graph.
#include "device/buffer.hpp"
#include "device/launch.cuh"
#include "device/use_gpu.hpp"
#include "input/caller_arrays.hpp"
#include "input/cuda/device_edges.hpp"
#include "input/symmetry.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

namespace brushfire {

namespace {

constexpr std::uint64_t tuples_in_block = std::uint64_t{1} << 22;
constexpr unsigned looking_blocks = 4096;  // each thread then has more than one tuple to look at before it tells
constexpr unsigned warp_threads = 32;
using Counter = unsigned long long;  // what atomicAdd takes

struct Column {
  const std::byte* first;
  std::ptrdiff_t stride;
  bool is_wide, is_signed;

  explicit Column(const IntegersView& array)
      : first(static_cast<const std::byte*>(array.first())),
        stride(array.stride()),
        is_wide(array.bytes() == 8),
        is_signed(array.is_signed())
  {
  }
  // Unsigned ones past the largest label become negative, and are refused as such.
  __device__ Label operator[](std::uint64_t index) const
  {
    const std::byte* const at = first + static_cast<std::ptrdiff_t>(index) * stride;
    if (is_wide) return *reinterpret_cast<const Label*>(at);
    return is_signed ? Label{*reinterpret_cast<const std::int32_t*>(at)}
                     : Label{*reinterpret_cast<const std::uint32_t*>(at)};
  }
};

struct Tuples {
  Column sources;  // or offsets
  Column targets;
  std::uint64_t rows;  // 0: they are edges

  explicit Tuples(const ArraysOnGpu& arrays)
      : sources(arrays.sources), targets(arrays.targets), rows(arrays.are_rows ? arrays.sources.size() - 1 : 0)
  {
  }
  __device__ Label source(std::uint64_t tuple) const { return rows == 0 ? sources[tuple] : row_of(tuple); }
  __device__ Label target(std::uint64_t tuple) const { return targets[tuple]; }

 private:
  // The last row that starts at or before an entry.
  __device__ Label row_of(std::uint64_t entry) const
  {
    std::uint64_t low = 0, high = rows;
    while (high - low > 1) {
      std::uint64_t const middle = low + (high - low) / 2;
      (sources[middle] <= static_cast<Label>(entry) ? low : high) = middle;
    }
    return static_cast<Label>(low);
  }
};

struct Seen {
  long long first, largest;
  Counter imbalance;
};

__global__ void look_thread_per_tuple(Tuples tuples, std::uint64_t count, Seen* seen)
{
  Seen mine{std::numeric_limits<long long>::max(), std::numeric_limits<long long>::min(), 0};
  device::for_each_item(count, [&](std::uint64_t i) {
    Label const source = tuples.source(i), target = tuples.target(i);
    mine.first = min(mine.first, static_cast<long long>(min(source, target)));
    mine.largest = max(mine.largest, static_cast<long long>(max(source, target)));
    mine.imbalance += tuple_hash(source, target) - tuple_hash(target, source);
  });
  for (unsigned distance = warp_threads / 2; distance != 0; distance /= 2) {
    mine.first = min(mine.first, __shfl_down_sync(~0u, mine.first, distance));
    mine.largest = max(mine.largest, __shfl_down_sync(~0u, mine.largest, distance));
    mine.imbalance += __shfl_down_sync(~0u, mine.imbalance, distance);
  }
  if (threadIdx.x % warp_threads != 0) return;
  atomicMin(&seen->first, mine.first);
  atomicMax(&seen->largest, mine.largest);
  atomicAdd(&seen->imbalance, mine.imbalance);
}

__global__ void mark_thread_per_tuple(Tuples tuples, std::uint64_t count, Label first, unsigned* occurs)
{
  auto const mark = [=](Label label) {
    auto const offset = static_cast<std::uint64_t>(label - first);
    unsigned const bit = 1u << (offset % 32);
    // Most labels were met before; a plain look is far cheaper than an atomic write.
    if ((occurs[offset / 32] & bit) == 0) atomicOr(&occurs[offset / 32], bit);
  };
  device::for_each_item(count, [=](std::uint64_t i) {
    mark(tuples.source(i));
    mark(tuples.target(i));
  });
}

__global__ void count_thread_per_word(const unsigned* words, std::uint64_t count, Counter* bits)
{
  Counter mine = 0;
  device::for_each_item(count, [&](std::uint64_t i) { mine += static_cast<unsigned>(__popc(words[i])); });
  for (unsigned distance = warp_threads / 2; distance != 0; distance /= 2)
    mine += __shfl_down_sync(~0u, mine, distance);
  if (threadIdx.x % warp_threads == 0) atomicAdd(bits, mine);
}

__global__ void pair_thread_per_tuple(Tuples tuples, std::uint64_t first, std::uint64_t count, Label first_label,
                                      Vertex vertices, VertexPair* pairs)
{
  auto const vertex = [=](Label label) {
    return static_cast<Vertex>(min(static_cast<std::uint64_t>(label - first_label), std::uint64_t{vertices} - 1));
  };
  device::for_each_item(count, [=](std::uint64_t i) {
    pairs[i] = {vertex(tuples.source(first + i)), vertex(tuples.target(first + i))};
  });
}

template <typename... Parameters, typename... Arguments>
void launch_looking(std::uint64_t items, void (*kernel)(Parameters...), const device::Stream& stream,
                    Arguments&&... arguments)
{
  device::launch(kernel, device::blocks_for(items, device::block_threads, looking_blocks), device::block_threads,
                 stream, std::forward<Arguments>(arguments)...);
}

bool all_occur(const Tuples& tuples, std::uint64_t count, Label first, Label largest, const device::Stream& stream)
{
  if (first < 0 || largest - first >= static_cast<Label>(no_vertex)) return false;
  std::uint64_t const span = static_cast<std::uint64_t>(largest - first) + 1;
  if (span > 2 * count) return false;
  device::Buffer<unsigned> occurs((span + 31) / 32);
  occurs.fill_bytes(0, stream);
  device::launch_over(count, mark_thread_per_tuple, stream, tuples, count, first, occurs.data());
  device::Buffer<Counter> bits(1);
  bits.fill_bytes(0, stream);
  launch_looking(occurs.size(), count_thread_per_word, stream, occurs.data(), occurs.size(), bits.data());
  return device::value_at(bits, 0, stream) == span;
}

class CallerTuples final : public DeviceEdges {
 public:
  CallerTuples(const ArraysOnGpu& arrays, Label first_label, Vertex vertices)
      : tuples_(arrays),
        edges_(arrays.targets.size()),
        first_label_(first_label),
        vertices_(vertices),
        block_(std::min(edges_, tuples_in_block))
  {
  }

  std::uint64_t edges() const override { return edges_; }

  void for_each_block(const device::Stream& stream, const Use& use) const override
  {
    std::lock_guard const alone(mutex_);
    for (std::uint64_t first = 0; first < edges_; first += tuples_in_block) {
      std::uint64_t const count = std::min(tuples_in_block, edges_ - first);
      device::launch_over(count, pair_thread_per_tuple, stream, tuples_, first, count, first_label_, vertices_,
                          block_.data());
      use(first, block_.data(), count);
    }
    stream.wait();  // the next pass may use another stream
  }

 private:
  Tuples tuples_;
  std::uint64_t edges_;
  Label first_label_;
  Vertex vertices_;
  mutable std::mutex mutex_;  // one pass at a time has the block
  mutable device::Buffer<VertexPair> block_;
};

}  // namespace

LookOnGpu look_on_gpu(const ArraysOnGpu& arrays, bool for_gaps)
{
  device::UseGpu const gpu;
  device::Stream const stream;
  Tuples const tuples(arrays);
  std::uint64_t const count = arrays.targets.size();
  Seen const nothing{std::numeric_limits<long long>::max(), std::numeric_limits<long long>::min(), 0};
  auto seen = device::make_buffer(std::span(&nothing, 1), stream);
  launch_looking(count, look_thread_per_tuple, stream, tuples, count, seen.data());
  Seen const all = device::value_at(seen, 0, stream);
  bool const no_gaps = for_gaps && all_occur(tuples, count, all.first, all.largest, stream);
  return {all.first, all.largest, no_gaps, all.imbalance};
}

std::shared_ptr<const DeviceEdges> read_on_device(const EdgeSource& source, const Labels& labels)
{
  auto const* const of_caller = dynamic_cast<const ArraysOfCaller*>(&source);
  auto const arrays = of_caller == nullptr ? std::nullopt : of_caller->on_gpu();
  if (!arrays || !labels.consecutive()) return nullptr;
  return std::make_shared<CallerTuples>(*arrays, labels.first(), labels.size());
}

}  // namespace brushfire
