// Entries are made in two steps: the ranks of both ends of every tuple are looked up, then Algorithm 1 of Pan, Pearce
// and Owens says to whom its entries go. They are dealt once to count the rows, and once for every slice of them.
#include "build/cuda/part_rows.hpp"

#include "build/cuda/part_steps.cuh"
#include "build/cuda/row_builder.cuh"
#include "exchange/gather.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

struct RankPair {  // of both ends of a tuple, no_vertex for normal ones
  Vertex source, target;
};

struct DirectoryView {
  const DirectoryWord* words;
  const Vertex* ranks;

  __device__ Vertex find(std::uint64_t index) const
  {
    DirectoryWord const word = words[index / 32];
    unsigned const bit = index % 32;
    if ((word.bits >> bit & 1) == 0) return no_vertex;
    return ranks[word.before + __popc(word.bits & ((1u << bit) - 1))];
  }
};

__global__ void look_up_tuple_per_thread(const IndexPair* pairs, std::uint64_t count, DirectoryView directory,
                                         RankPair* ranks)
{
  device::for_each_item(count, [=](std::uint64_t i) {
    auto const [source, target] = pairs[i];
    ranks[i] = {directory.find(source), directory.find(target)};
  });
}

// The entries of the tuples of a step.
struct EntriesView {
  DirectedTuples directed;
  const RankPair* ranks;  // null where there are no delegates
  const DelegateHome* homes;
  Vertex delegates;
  DealtIndices dealt;

  __device__ RankPair ranks_of(std::uint64_t item) const
  {
    if (ranks == nullptr) return {no_vertex, no_vertex};
    RankPair const pair = ranks[directed.tuple(item)];
    return directed.turned(item) ? RankPair{pair.target, pair.source} : pair;
  }
};

// Those that have a delegate. Each lies where its normal end lives; between delegates as keeper_of() has it.
struct NearEntries {
  using Item = NearEntry;
  EntriesView view;

  __device__ FarVertex receiver(std::uint64_t item) const
  {
    auto const [from, to] = view.ranks_of(item);
    if (from == no_vertex && to == no_vertex) return cuda::nobody;
    IndexPair const edge = view.directed.edge(item);
    if (edge.source == edge.target) return cuda::nobody;
    if (from == no_vertex) return view.dealt.somebody_at(view.dealt.device_of(edge.source));
    if (to == no_vertex) return view.dealt.somebody_at(view.dealt.device_of(edge.target));
    return view.dealt.somebody_at(keeper_of(view.homes[min(from, to)], view.homes[max(from, to)]));
  }

  __device__ NearEntry item(std::uint64_t item) const
  {
    auto const [from, to] = view.ranks_of(item);
    IndexPair const edge = view.directed.edge(item);
    return {from == no_vertex ? view.delegates + view.dealt.number_of(edge.source) : from,
            to == no_vertex ? view.delegates + view.dealt.number_of(edge.target) : to};
  }
};

// Those between normal vertices: each lies where its source lives.
struct FarEntries {
  using Item = FarEntry;
  EntriesView view;

  __device__ FarVertex receiver(std::uint64_t item) const
  {
    auto const [from, to] = view.ranks_of(item);
    IndexPair const edge = view.directed.edge(item);
    if (from != no_vertex || to != no_vertex || edge.source == edge.target) return cuda::nobody;
    return view.dealt.somebody_at(view.dealt.device_of(edge.source));
  }

  __device__ FarEntry item(std::uint64_t item) const
  {
    IndexPair const edge = view.directed.edge(item);
    return {view.dealt.number_of(edge.source), view.dealt.number_of(edge.target), view.dealt.device_of(edge.target)};
  }
};

template <typename Entry>
__global__ void count_entry_per_thread(const Entry* entries, std::uint64_t count, std::uint32_t* rows)
{
  device::for_each_item(count, [=](std::uint64_t i) { atomicAdd(&rows[entries[i].row], 1u); });
}

// How targets are written in keys: slots, or devices above numbers.
__device__ Key target_in_key(const TargetOfSlot&, const NearEntry& entry) { return entry.target; }

struct TargetElsewhere {
  using Target = FarVertex;
  int bits;
  Vertex delegates;  // none
  int number_bits;

  __device__ FarVertex operator()(Key target) const
  {
    return target >> number_bits << 32 | (target & ((Key{1} << number_bits) - 1));
  }
};
__device__ Key target_in_key(const TargetElsewhere& targets, const FarEntry& entry)
{
  return Key{entry.device} << targets.number_bits | entry.target;
}

// A warp looks at 256 entries before it asks where to put their keys: one atomic operation for all, and neighbouring
// lanes write neighbouring keys.
template <typename Targets, typename Entry>
__global__ __launch_bounds__(device::block_threads) void keep_keys_warp_per_tile(const Entry* entries,
                                                                                 std::uint64_t count, Targets targets,
                                                                                 SliceView slice)
{
  constexpr unsigned warp_threads = 32, all_lanes = 0xffffffff;
  constexpr int entries_per_lane = 8;
  constexpr std::uint64_t tile = warp_threads * entries_per_lane;
  unsigned const lane = threadIdx.x % warp_threads, lanes_before = (1u << lane) - 1;
  std::uint64_t const warps = std::uint64_t{gridDim.x} * blockDim.x / warp_threads;
  std::uint64_t const warp = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_threads;
  for (std::uint64_t first = warp * tile; first < count; first += warps * tile) {
    Key keys[entries_per_lane];
    unsigned kept[entries_per_lane];  // lanes that add a key
    unsigned total = 0;
#pragma unroll
    for (int j = 0; j < entries_per_lane; ++j) {
      std::uint64_t const i = first + j * warp_threads + lane;
      bool holds = false;
      if (i < count) {
        Entry const entry = entries[i];
        holds = slice.holds(entry.row);
        keys[j] = slice.key(entry.row, target_in_key(targets, entry));
      }
      kept[j] = __ballot_sync(all_lanes, holds);
      total += __popc(kept[j]);
    }
    if (total == 0) continue;
    KeyCounter place = lane == 0 ? atomicAdd(slice.gathered, KeyCounter{total}) : 0;
    place = __shfl_sync(all_lanes, place, 0);
    // More keys than were counted would be a source that changed; the builder finds out by their number.
    if (place + total > slice.capacity) continue;
#pragma unroll
    for (int j = 0; j < entries_per_lane; ++j) {
      if ((kept[j] >> lane & 1) != 0) slice.keys[place + __popc(kept[j] & lanes_before)] = keys[j];
      place += __popc(kept[j]);
    }
  }
}

struct CountOfRow {
  const std::uint32_t* counts;
  std::uint64_t rows;

  __device__ EdgeIndex operator()(std::uint64_t row) const { return row < rows ? counts[row] : 0; }
};

// Where rows start: one more than rows.
device::Buffer<EdgeIndex> place_counts(const device::Buffer<std::uint32_t>& counts, const device::Stream& stream)
{
  std::uint64_t const rows = counts.size();
  device::Buffer<EdgeIndex> offsets(rows + 1);
  auto const lengths =
      thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0), CountOfRow{counts.data(), rows});
  device::with_scratch("placing rows", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, lengths, offsets.data(), rows + 1, stream.handle());
  });
  return offsets;
}

// How many targets lie on each device, and one more than the largest number that occurs there.
struct TargetCounts {
  cuda::Count entries[cuda::most_devices];
  unsigned numbers[cuda::most_devices];
};

__global__ void count_targets_block_by_block(const FarVertex* targets, std::uint64_t count, unsigned devices,
                                             TargetCounts* counts)
{
  __shared__ unsigned entries[cuda::most_devices], numbers[cuda::most_devices];
  for (unsigned device = threadIdx.x; device < devices; device += blockDim.x) entries[device] = numbers[device] = 0;
  __syncthreads();
  device::for_each_item(count, [&](std::uint64_t i) {
    FarVertex const target = targets[i];
    atomicAdd(&entries[device_of(target)], 1u);
    atomicMax(&numbers[device_of(target)], number_of(target) + 1);
  });
  __syncthreads();
  for (unsigned device = threadIdx.x; device < devices; device += blockDim.x) {
    if (entries[device] == 0) continue;
    atomicAdd(&counts->entries[device], cuda::Count{entries[device]});
    atomicMax(&counts->numbers[device], numbers[device]);
  }
}

class PartRowsBuilder {
 public:
  PartRowsBuilder(PartSteps& steps, const DelegateDirectory& delegates, RowsHold hold, const PartRowsOptions& options)
      : steps_(steps),
        delegates_(delegates),
        hold_(hold),
        options_(options),
        devices_(static_cast<unsigned>(steps.exchange.devices())),
        ranks_(delegates.size() == 0 ? 0 : steps.step_size())
  {
  }

  PartRows build()
  {
    device::Buffer<std::uint32_t> near(std::uint64_t{delegates_.size()} + options_.vertices), far(options_.vertices);
    count_rows(near, far);
    PartRows rows;
    int const slot_bits = std::bit_width(near.size());
    rows.near = adjacency_of(place<NearEntries>(std::move(near), TargetOfSlot{slot_bits, delegates_.size()}));
    int const number_bits = std::bit_width(options_.most_vertices), device_bits = std::bit_width(devices_ - 1);
    auto finished = place<FarEntries>(std::move(far), TargetElsewhere{device_bits + number_bits, 0, number_bits});
    rows.far.starts = std::move(finished.starts);
    rows.far.bases = std::move(finished.bases);
    rows.far.targets = std::move(finished.targets);
    count_targets(rows.far);
    return rows;
  }

 private:
  // The entries of a step; the ranks must be looked up first.
  EntriesView entries_of(const IndexPair* pairs, std::uint64_t count)
  {
    DirectedTuples const directed{pairs, count, hold_};
    if (delegates_.size() == 0) return {directed, nullptr, nullptr, 0, {devices_}};
    device::launch_over(count, look_up_tuple_per_thread, steps_.stream, pairs, count,
                        DirectoryView{delegates_.words(), delegates_.ranks()}, ranks_.data());
    return {directed, ranks_.data(), delegates_.homes(), delegates_.size(), {devices_}};
  }

  template <typename Entries, typename Take>
  void deal(const EntriesView& view, Take&& take)
  {
    steps_.dealer.deal(Entries{view}, view.directed.items(), take);
  }

  void count_rows(device::Buffer<std::uint32_t>& near, device::Buffer<std::uint32_t>& far)
  {
    near.fill_bytes(0, steps_.stream);
    far.fill_bytes(0, steps_.stream);
    auto const count_into = [&](device::Buffer<std::uint32_t>& rows) {
      return [this, &rows]<typename Entry>(const Entry* entries, std::uint64_t count) {
        device::launch_over(count, count_entry_per_thread<Entry>, steps_.stream, entries, count, rows.data());
      };
    };
    steps_.for_each("counting rows", [&](const IndexPair* pairs, std::uint64_t count) {
      EntriesView const view = entries_of(pairs, count);
      if (delegates_.size() != 0) deal<NearEntries>(view, count_into(near));
      deal<FarEntries>(view, count_into(far));
    });
  }

  // Devices that share a GPU ask what is free before any of them takes some.
  template <typename Target>
  std::uint64_t keys_in_each_slice(EdgeIndex entries, std::uint64_t longest_row)
  {
    steps_.meet();
    std::uint64_t const keys =
        keys_in_slice(entries, sizeof(Target), longest_row, options_.most_keys, options_.sharing);
    steps_.meet();
    return keys;
  }

  template <typename Entries, typename Targets>
  FinishedRows<typename Targets::Target> place(device::Buffer<std::uint32_t> counts, Targets targets)
  {
    std::uint64_t const longest_row = largest_of(counts, steps_.stream);
    RowBuilder<Targets> rows(place_counts(counts, steps_.stream), targets, options_.sharing, steps_.stream);
    counts = {};
    rows.cut(keys_in_each_slice<typename Targets::Target>(rows.entries(), longest_row));
    std::uint64_t passes = 0;
    for (std::uint64_t const slices : gather(steps_.exchange, rows.slices())) passes = std::max(passes, slices);
    if (steps_.sum(rows.entries()) == 0) passes = 0;  // no device has any to place: the own slices are empty
    bool const nothing = passes == 0;
    return rows.build(passes, [&](const SliceView& slice, std::uint64_t) {
      if (nothing) return;
      steps_.for_each("building rows", [&](const IndexPair* pairs, std::uint64_t count) {
        deal<Entries>(entries_of(pairs, count), [&]<typename Entry>(const Entry* entries, std::uint64_t arrived) {
          device::launch_over((arrived + 7) / 8, keep_keys_warp_per_tile<Targets, Entry>, steps_.stream, entries,
                              arrived, targets, slice);
        });
      });
    });
  }

  void count_targets(DeviceFarRows& rows)
  {
    constexpr unsigned blocks = 1024;  // each adds its counts once
    device::Buffer<TargetCounts> counts(1);
    counts.fill_bytes(0, steps_.stream);
    device::launch(count_targets_block_by_block, blocks, device::block_threads, steps_.stream, rows.targets.data(),
                   rows.targets.size(), devices_, counts.data());
    TargetCounts const counted = value_at(counts, 0, steps_.stream);
    rows.entries_before = rows.numbers_before = {0};
    for (unsigned device = 0; device < devices_; ++device) {
      rows.entries_before.push_back(rows.entries_before.back() + counted.entries[device]);
      rows.numbers_before.push_back(rows.numbers_before.back() + counted.numbers[device]);
    }
  }

  PartSteps& steps_;
  const DelegateDirectory& delegates_;
  RowsHold hold_;
  PartRowsOptions options_;
  unsigned devices_;
  device::Buffer<RankPair> ranks_;
};

}  // namespace

PartRows build_part_rows(PartSteps& steps, const DelegateDirectory& delegates, RowsHold hold,
                         const PartRowsOptions& options)
{
  return PartRowsBuilder(steps, delegates, hold, options).build();
}

}  // namespace brushfire
