#include "build/cuda/device_part_builder.hpp"

#include "base/saturating.hpp"
#include "build/cuda/count_entries.hpp"
#include "build/cuda/delegate_directory.hpp"
#include "build/cuda/device_slots.hpp"
#include "build/cuda/part_rows.hpp"
#include "build/cuda/part_steps.cuh"
#include "build/part_delegates.hpp"
#include "exchange/sum_over_devices.hpp"

#include <brushfire/error.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

// The ends of tuples at which degrees are counted, by owner.
struct CountedEnds {
  using Item = Vertex;
  DirectedTuples directed;
  DealtIndices dealt;

  __device__ FarVertex receiver(std::uint64_t item) const
  {
    auto const [counted, other] = directed.edge(item);
    return counted == other ? cuda::nobody : dealt.somebody_at(dealt.device_of(counted));
  }
  __device__ Vertex item(std::uint64_t item) const { return dealt.number_of(directed.edge(item).source); }
};

__global__ void count_end_per_thread(const Vertex* numbers, std::uint64_t count, std::uint32_t* degrees)
{
  device::for_each_item(count, [=](std::uint64_t i) { atomicAdd(&degrees[numbers[i]], 1u); });
}

__global__ void count_self_loops_per_thread(const IndexPair* pairs, std::uint64_t count, cuda::Count* self_loops)
{
  device::for_each_item(count, [=](std::uint64_t i) {
    if (pairs[i].source == pairs[i].target) atomicAdd(self_loops, cuda::Count{1});
  });
}

class DevicePartBuilder {
 public:
  DevicePartBuilder(TuplesOnDevice& tuples, const EdgeFacts& facts, const DealtLabels& labels,
                    const BuildOptions& options, const DevicePartOptions& more, Exchange& exchange,
                    const device::Stream& stream, Progress& progress)
      : facts_(facts),
        labels_(labels),
        options_(options),
        more_(more),
        exchange_(exchange),
        stream_(stream),
        steps_(tuples, exchange, stream, progress),
        out_rows_{true, !options.directed && !facts.listed_twice}
  {
    if (exchange.devices() > static_cast<int>(cuda::most_devices))
      throw Error(ErrorKind::usage, "GPUs build together as at most 1024 devices; use fewer devices");
  }

  DeviceBuiltPart build()
  {
    Part& part = host_part();
    part.devices = exchange_.devices();
    part.device = exchange_.device();
    part.layout.vertices = labels_.size();
    part.layout.directed = options_.directed;
    count_degrees();
    choose_delegates();
    build_rows();
    count_everything();
    return std::move(result_);
  }

 private:
  static constexpr RowsHold in_rows{false, true};

  Part& host_part() { return result_.built.part; }

  void count_degrees()
  {
    device::Buffer<cuda::Count> self_loops(1);
    self_loops.fill_bytes(0, stream_);
    degrees_.out = device::Buffer<std::uint32_t>(labels_.size());
    degrees_.out.fill_bytes(0, stream_);
    if (options_.directed) degrees_.in = device::Buffer<std::uint32_t>(labels_.size());
    degrees_.in.fill_bytes(0, stream_);
    std::uint64_t counted_out = 0, counted_in = 0;
    auto const count = [&](const DirectedTuples& directed, device::Buffer<std::uint32_t>& degrees,
                           std::uint64_t& counted) {
      CountedEnds const ends{directed, {static_cast<std::uint32_t>(exchange_.devices())}};
      steps_.dealer.deal(ends, directed.items(), [&](const Vertex* numbers, std::uint64_t arrived) {
        device::launch_over(arrived, count_end_per_thread, stream_, numbers, arrived, degrees.data());
        counted += arrived;
      });
    };
    steps_.for_each("counting degrees", [&](const IndexPair* pairs, std::uint64_t tuples) {
      device::launch_over(tuples, count_self_loops_per_thread, stream_, pairs, tuples, self_loops.data());
      count({pairs, tuples, out_rows_}, degrees_.out, counted_out);
      if (options_.directed) count({pairs, tuples, in_rows}, degrees_.in, counted_in);
    });
    result_.built.totals.tuples = steps_.tuples();
    result_.built.totals.self_loops = value_at(self_loops, 0, stream_);
    // A counter that wrapped is missing from the sum.
    if (sum_of(degrees_.out, stream_) != counted_out || sum_of(degrees_.in, stream_) != counted_in)
      throw Error(ErrorKind::failure,
                  facts_.name + ": a vertex has more than 2^32-1 edges, which this build cannot count");
  }

  void choose_delegates()
  {
    Layout& layout = host_part().layout;
    layout.threshold =
        options_.threshold ? *options_.threshold : agree_on_threshold(histogram_of(degrees_, stream_), exchange_);
    FoundDelegates const found = find_delegates(degrees_, layout.threshold, stream_);
    std::vector<Delegates::Member> own;
    own.reserve(found.vertices.size());
    auto const devices = static_cast<std::uint64_t>(exchange_.devices());
    auto const device = static_cast<std::uint64_t>(exchange_.device());
    for (std::size_t i = 0; i < found.vertices.size(); ++i) {
      Vertex const v = found.vertices[i];
      own.push_back({v * devices + device, found.degrees[i], far_vertex(exchange_.device(), v), labels_.label(v)});
    }
    host_part().delegates = agree_on_delegates(own, labels_.size(), exchange_);
    layout.delegates = host_part().delegates.size();
    layout.delegate_vertices = numbers_at_home(host_part().delegates, exchange_.device());
    Buffer<std::uint32_t> input_degrees(labels_.size());
    degrees_.out.download(input_degrees.span(), stream_);
    stream_.wait();
    layout.input_degrees = Section<std::uint32_t>(std::move(input_degrees));
    degrees_ = {};
  }

  void build_rows()
  {
    const Layout& known = host_part().layout;
    DevicePart& part = result_.part;
    DelegateDirectory const directory(host_part().delegates, labels_.total(), stream_);
    PartRowsOptions rows{labels_.size(), 0, more_.most_keys, more_.sharing};
    for (int device = 0; device < exchange_.devices(); ++device)
      rows.most_vertices = std::max(rows.most_vertices, labels_.size_of(device));
    auto [out, far_out] = build_part_rows(steps_, directory, out_rows_, rows);
    part.layout.out = std::move(out);
    part.out = std::move(far_out);
    if (known.directed) {
      auto [in, far_in] = build_part_rows(steps_, directory, in_rows, rows);
      part.layout.in = std::move(in);
      part.in = std::move(far_in);
    }
    part.layout.vertices = known.vertices;
    part.layout.delegates = known.delegates;
    part.layout.threshold = known.threshold;
    part.layout.directed = known.directed;
    part.layout.delegate_vertices = vertices_of_delegates(known.vertices, known.delegates, stream_);
    part.layout.entries = count_entries(part.layout, stream_);
    part.devices = exchange_.devices();
    part.device = exchange_.device();
  }

  // As if the rows were on the host, where only delegates have splits.
  std::uint64_t row_bytes(const DeviceAdjacency& rows, const DeviceFarRows& far) const
  {
    std::uint64_t const splits = rows.splits.size() == 0 ? 0 : result_.part.layout.delegates * sizeof(std::uint32_t);
    return rows.bytes() - rows.splits.bytes() + splits + far.starts.bytes() + far.bases.bytes() + far.targets.bytes();
  }

  void count_everything()
  {
    PartTotals& totals = result_.built.totals;
    const DevicePart& part = result_.part;
    totals.entries = part.layout.entries;
    totals.entries[index_of(Subgraph::nn)] = part.out.targets.size();
    totals.subgraph_bytes = row_bytes(part.layout.out, part.out);
    if (options_.directed) totals.subgraph_bytes += row_bytes(part.layout.in, part.in);
    totals.bytes = result_.built.part.bytes() + totals.subgraph_bytes;
    totals = sum_over_devices(exchange_, totals);
  }

  const EdgeFacts& facts_;
  const DealtLabels& labels_;
  const BuildOptions& options_;
  DevicePartOptions more_;
  Exchange& exchange_;
  const device::Stream& stream_;
  PartSteps steps_;
  RowsHold out_rows_;
  DeviceDegrees degrees_;
  DeviceBuiltPart result_;
};

}  // namespace

DeviceBuiltPart build_part_on_device(TuplesOnDevice& tuples, const EdgeFacts& facts, const DealtLabels& labels,
                                     const BuildOptions& options, const DevicePartOptions& more, Exchange& exchange,
                                     const device::Stream& stream, Progress& progress)
{
  return DevicePartBuilder(tuples, facts, labels, options, more, exchange, stream, progress).build();
}

DevicePartBytes predict_device_part_bytes(const DevicePartCounts& counts, int sharing)
{
  std::uint64_t const own = counts.own_vertices(), entries = counts.entries();
  std::uint64_t const directions = counts.directed ? 2 : 1;
  std::uint64_t const rows = saturating_sum({own, counts.delegates});
  DevicePartBytes bytes;
  // One that leads elsewhere takes twice as much as another.
  static_assert(sizeof(FarVertex) == 2 * sizeof(Vertex));
  bytes.entries = saturating_product(directions, bytes_of<Vertex>(saturating_sum({entries, counts.far_entries()})));
  bytes.rows =
      saturating_product(directions, saturating_sum({predict_row_bytes(rows, true), predict_row_bytes(own, false)}));
  bytes.labels = saturating_sum(
      {bytes_of<Label>(rows), bytes_of<FarVertex>(counts.delegates), bytes_of<Vertex>(counts.delegates)});
  std::uint64_t const in_step = std::min(counts.tuples, tuples_per_step);
  // Pairs and ranks; entries in bins, on their way, and landed.
  std::uint64_t const step = in_step * (sizeof(IndexPair) + 2 * sizeof(Vertex)) + 2 * in_step * 4 * sizeof(FarEntry);
  std::uint64_t const directory = saturating_sum({counts.vertices / 2, 20 * counts.delegates});  // while it is made
  std::uint64_t const offsets = bytes_of<EdgeIndex>(saturating_sum({rows, own, 2}));
  std::uint64_t const keys =
      saturating_product(std::min(entries, least_keys / static_cast<std::uint64_t>(sharing)), bytes_per_key);
  bytes.temporary = saturating_sum({step, directory, offsets, keys, scratch_bytes});
  return bytes;
}

}  // namespace brushfire
