// A graph in parts on GPUs, built there or copied. Several devices may share one GPU and its table of labels; they
// build each on a stream of its own, and search on one: those kernels each fill a GPU, and take turns.
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/saturating.hpp"
#include "build/cuda/device_block.hpp"
#include "build/cuda/device_part.hpp"
#include "build/cuda/device_part_builder.hpp"
#include "device/gpus.hpp"
#include "device/use_gpu.hpp"
#include "engine/cuda/gpu_graph.hpp"
#include "engine/cuda/tuples_in_tree.hpp"
#include "engine/gpu.hpp"
#include "engine/parted_graph.hpp"
#include "exchange/cuda/device_pieces.hpp"
#include "exchange/cuda/gpu_memory.hpp"
#include "exchange/cuda/gpu_wire.hpp"
#include "exchange/gather.hpp"
#include "exchange/job_wire.hpp"
#include "input/cuda/tuples_on_device.hpp"
#include "traverse/cuda/block_stepper.hpp"
#include "traverse/cuda/part_index.hpp"
#include "traverse/cuda/part_stepper.hpp"

#include <brushfire/report.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace brushfire {

class GpuParts {
 public:
  struct Place {
    int gpu = 0;
    DevicePart part;
    std::optional<cuda::PartIndex> index;
    DealtLabelsView labels;  // with its table on the GPU
    DeviceBlock block;       // where the graph is cut into blocks instead
    device::Buffer<std::uint64_t> bounds;
  };
  std::vector<Place> places;
  int sharing = 1;  // devices on one GPU
  std::mutex tables_guard;
  std::map<int, device::Buffer<Label>> label_tables;  // by GPU
  std::map<int, device::Stream> streams;              // likewise

  Place& place(int index) { return places[static_cast<std::size_t>(index)]; }
  const Place& place(int index) const { return places[static_cast<std::size_t>(index)]; }
};

namespace {

std::atomic<const char*> last_transport{""};

// Each device takes the next of the GPUs that its rank sees, and round again.
int gpu_of(int index, int devices_here)
{
  auto const& gpus = device::usable_gpus();
  if (gpus.empty()) fail(ErrorKind::failure, "no usable GPU: {}", device::why_no_gpu());
  auto const on_machine = static_cast<std::size_t>(index + job_place().rank_on_machine * devices_here);
  return gpus[on_machine % gpus.size()];
}

DealtLabelsView labels_on_gpu(GpuParts& parts, int gpu, const DealtLabels& labels, const device::Stream& stream)
{
  DealtLabelsView view = labels.view();
  if (view.own_only) view.table = nullptr;  // the part has its own, and is told the others
  if (view.table == nullptr) return view;
  std::lock_guard const alone(parts.tables_guard);
  auto const [held, is_new] = parts.label_tables.try_emplace(gpu);
  if (is_new) held->second = device::make_buffer(std::span(view.table, labels.total()), stream);
  view.table = held->second.data();
  return view;
}

// CUDA keeps a current device per thread, and every device searches on a thread of its own.
class SteppingOnGpu final : public TreeStepper {
 public:
  template <typename Make>
  SteppingOnGpu(int gpu, const device::Stream& stream, Make&& make) : gpu_(gpu), stream_(stream)
  {
    device::UseGpu const use(gpu_);
    stepper_ = make();
  }

  LevelCounters start(std::uint64_t root, const Limits& limits) override
  {
    device::UseGpu const gpu(gpu_);
    return stepper_->start(root, limits);
  }
  Outbox outbox(Round round) override
  {
    device::UseGpu const gpu(gpu_);
    return stepper_->outbox(round);
  }
  void work(Round round) override
  {
    device::UseGpu const gpu(gpu_);
    stepper_->work(round);
  }
  void absorb(Round round, Piece piece) override
  {
    device::UseGpu const gpu(gpu_);
    stepper_->absorb(round, piece);
  }
  void masks_joined(Round round) override { stepper_->masks_joined(round); }
  LevelCounters finish_level(Trace& trace, const Traffic& traffic) override
  {
    device::UseGpu const gpu(gpu_);
    return stepper_->finish_level(trace, traffic);
  }
  void hear(const LevelCounters& everywhere) override { stepper_->hear(everywhere); }
  void finish(Exchange& exchange) override
  {
    device::UseGpu const gpu(gpu_);
    stepper_->finish(exchange);
    note_bytes_while_searching();
  }
  TreeFacts facts() const override { return stepper_->facts(); }
  TreeOnHost result() const override
  {
    device::UseGpu const gpu(gpu_);
    return stepper_->result();
  }
  std::uint64_t sum_over_tree(std::span<const std::uint32_t> values) const override
  {
    device::UseGpu const gpu(gpu_);
    if (values.data() != copied_.data()) values_ = device::make_buffer(values, stream_);
    copied_ = values;
    return brushfire::sum_over_tree(stepper_->parents_on_device(), values_.data(), stream_);
  }

 private:
  int gpu_;
  const device::Stream& stream_;
  std::unique_ptr<PartStepper> stepper_;
  mutable device::Buffer<std::uint32_t> values_;  // copies of
  mutable std::span<const std::uint32_t> copied_;
};

}  // namespace

// Ranks may see the same GPUs, or each one of its own by the same number.
int devices_on_a_gpu(int devices_here)
{
  std::ptrdiff_t most = 1;
  JobGroup together(devices_here);
  together->run([&](int index, Exchange& exchange) {
    auto const names = gather(exchange, device::name_of_gpu(gpu_of(index, devices_here)));
    if (index != 0) return;
    for (const device::GpuName& name : names) most = std::max(most, std::count(names.begin(), names.end(), name));
  });
  return static_cast<int>(most);
}

std::shared_ptr<GpuParts> begin_gpu_parts(int devices_here)
{
  auto parts = std::make_shared<GpuParts>();
  parts->places.resize(static_cast<std::size_t>(devices_here));
  parts->sharing = devices_on_a_gpu(devices_here);
  for (int index = 0; index < devices_here; ++index) {
    int const number = gpu_of(index, devices_here);
    parts->place(index).gpu = number;
    device::UseGpu const gpu(number);
    parts->streams.try_emplace(number);
  }
  return parts;
}

GpuBuiltPart build_on_gpu(GpuParts& parts, int index, const TupleShare& tuples, const DealtLabels& labels,
                          const GpuBuildOptions& options, Exchange& exchange, Team team, Progress& progress)
{
  GpuParts::Place& place = parts.place(index);
  device::UseGpu const gpu(place.gpu);
  device::Stream const stream;
  Stopwatch const watch;
  auto on_device = tuples_on_device(tuples, labels, team);
  GpuBuiltPart result;
  if (options.store_tuples && generates_on_device(tuples, labels)) {
    progress.begin("generating", 0, "");
    on_device = store_tuples(*on_device, stream);
    progress.end();
    result.generation_seconds = watch.seconds();
  }
  DeviceBuiltPart built =
      build_part_on_device(*on_device, tuples.source.facts(), labels, {options.directed, options.threshold},
                           {parts.sharing, as_many_keys_as_fit}, exchange, stream, progress);
  place.part = std::move(built.part);
  result.built = std::move(built.built);
  return result;
}

void finish_on_gpu(GpuParts& parts, int index, const Part& part, const DealtLabels& labels)
{
  GpuParts::Place& place = parts.place(index);
  device::UseGpu const gpu(place.gpu);
  device::Stream const stream;
  name_vertices(place.part, part, labels.view(), labels.size(), stream);
  place.index.emplace(place.part, stream);
  place.labels = labels_on_gpu(parts, place.gpu, labels, stream);
  stream.wait();  // searches use another
}

namespace {

void copy_block(GpuParts& parts, const PartedGraph::Place& from, GpuParts::Place& to, const device::Stream& stream)
{
  to.block = copy_to_device(from.block, stream);
  to.labels = labels_on_gpu(parts, to.gpu, from.input_labels(), stream);
  Dealing& dealing = to.labels.dealing;
  if (dealing.bounds == nullptr) return;
  to.bounds = device::make_buffer(std::span(dealing.bounds, dealing.devices + 1), stream);
  dealing.bounds = to.bounds.data();
}

}  // namespace

std::shared_ptr<const GpuParts> copy_to_gpus(const PartedGraph& graph)
{
  auto parts = begin_gpu_parts(graph.devices_here());
  for (int index = 0; index < graph.devices_here(); ++index) {
    const PartedGraph::Place& from = graph.place(index);
    GpuParts::Place& to = parts->place(index);
    device::UseGpu const gpu(to.gpu);
    std::uint64_t const needed = graph.cut() ? from.block.bytes() : from.part.bytes();
    if (std::uint64_t const free = device::free_gpu_bytes(); needed > free)
      fail(ErrorKind::memory, "a part of the graph takes {} of GPU memory and {} are free; use --device cpu",
           human_bytes(needed), human_bytes(free));
    const device::Stream& stream = parts->streams.at(to.gpu);
    if (graph.cut()) {
      copy_block(*parts, from, to, stream);
      continue;
    }
    const DealtLabels& labels = from.input_labels();
    to.part = copy_to_device(from.part, labels.view(), labels.size(), stream);
    to.index.emplace(to.part, stream);
    to.labels = labels_on_gpu(*parts, to.gpu, labels, stream);
  }
  return parts;
}

void copy_rows_to_host(const GpuParts& parts, int index, Part& part)
{
  const GpuParts::Place& place = parts.place(index);
  device::UseGpu const gpu(place.gpu);
  device::Stream const stream;
  copy_rows_to_host(place.part, part, stream);
}

RowLengths row_lengths(const GpuParts& parts, int index)
{
  const GpuParts::Place& place = parts.place(index);
  const DeviceLayout& layout = place.part.layout;
  device::UseGpu const gpu(place.gpu);
  device::Stream const stream;
  auto const starts = device::to_vector(layout.out.starts, layout.rows() + 1, stream);
  auto const far_starts = device::to_vector(place.part.out.starts, std::uint64_t{layout.vertices} + 1, stream);
  RowLengths lengths{std::vector<std::uint32_t>(layout.delegates), std::vector<std::uint32_t>(layout.vertices)};
  for (std::size_t rank = 0; rank < layout.delegates; ++rank)
    lengths.of_delegates[rank] = starts[rank + 1] - starts[rank];
  for (std::size_t v = 0; v < layout.vertices; ++v)
    lengths.of_vertices[v] = starts[layout.delegates + v + 1] - starts[layout.delegates + v] +  //
                             far_starts[v + 1] - far_starts[v];
  return lengths;
}

namespace {

CudaStepperOptions stepper_options(const SearchOptions& options, const GpuPartOptions& more)
{
  CudaStepperOptions stepper;
  stepper.direction = options.direction;
  stepper.deterministic = options.deterministic;
  stepper.levels = options.levels;
  stepper.wide_parents = more.wide_parents;
  stepper.senders = more.senders;
  stepper.rule = options.preset == Preset::delegates  ? PartRule::published
                 : options.preset == Preset::adaptive ? PartRule::adaptive
                                                      : PartRule::cheapest;
  stepper.uniquify = options.uniquify;
  stepper.fanout = options.fanout;
  return stepper;
}

}  // namespace

std::unique_ptr<TreeStepper> make_gpu_part_stepper(const GpuParts& parts, int index, const SearchOptions& options,
                                                   const GpuPartOptions& more)
{
  const GpuParts::Place& place = parts.place(index);
  const device::Stream& stream = parts.streams.at(place.gpu);
  CudaStepperOptions const stepper = stepper_options(options, more);
  return std::make_unique<SteppingOnGpu>(
      place.gpu, stream, [&] { return make_part_stepper(place.part, *place.index, place.labels, stepper, stream); });
}

std::unique_ptr<TreeStepper> make_gpu_block_stepper(const PartedGraph& graph, const GpuParts& parts, int index,
                                                    const SearchOptions& options, const GpuPartOptions& more)
{
  const GpuParts::Place& place = parts.place(index);
  const PartedGraph::Place& on_host = graph.place(index);
  const device::Stream& stream = parts.streams.at(place.gpu);
  DeviceBlockPlace const block{
      on_host.block, place.block,          on_host.labels.dealing(), on_host.input_labels().view(),
      place.labels,  on_host.labels.size()};
  CudaStepperOptions const stepper = stepper_options(options, more);
  return std::make_unique<SteppingOnGpu>(place.gpu, stream, [&] {
    switch (graph.preset()) {
      case Preset::ring:
        return make_gpu_ring_stepper(block, stepper, stream);
      case Preset::grid:
        return make_gpu_grid_stepper(block, stepper, stream);
      default:
        return make_gpu_butterfly_stepper(block, stepper, stream);
    }
  });
}

std::unique_ptr<Memory> memory_of(const GpuParts& parts)
{
  std::vector<int> gpus;
  for (const GpuParts::Place& place : parts.places) gpus.push_back(place.gpu);
  return std::make_unique<cuda::GpuMemory>(std::move(gpus));
}

std::unique_ptr<Wire> make_wire(const GpuParts& parts, const WireOptions& options)
{
  cuda::GpuWire made = cuda::make_gpu_wire(static_cast<int>(parts.places.size()), parts.place(0).gpu, options);
  last_transport = made.transport;
  return std::move(made.wire);
}

std::string transport_of_gpus() { return last_transport.load(); }

namespace {

std::uint64_t most_delegates_in_parts(const PlanRequest& request, std::uint64_t own, std::uint64_t ends)
{
  if (!request.threshold) return std::min(4 * own, request.vertices / 4);  // see choose_threshold_of_parts()
  return *request.threshold == plain_threshold ? 0 : std::min(request.vertices, ends / (*request.threshold + 1));
}

// Whether hubs will be on most edges: surely of Kronecker graphs that are as dense as those of Graph500, with a
// threshold that is low enough. Of other graphs it is not known before their degrees are.
bool is_skewed(const EdgeFacts& facts, const PlanRequest& request)
{
  constexpr std::uint64_t least_degree = 8, most_threshold = 64;
  constexpr int most_devices = 64;  // the more there are, the fewer delegates each can hold
  return facts.name.starts_with("kron:") && request.threshold.value_or(0) <= most_threshold &&
         request.devices_here * request.ranks <= most_devices &&
         saturating_product(facts.edges, static_cast<std::uint64_t>(request.ranks)) / least_degree >= request.vertices;
}

// Of one device. `apart`: not all devices are of this process and on one GPU.
std::uint64_t predict_searching_bytes(const DevicePartCounts& built, const PlanRequest& request, bool apart)
{
  cuda::PartSearchCounts counts;
  counts.all_vertices = built.vertices;
  counts.vertices = built.own_vertices();
  counts.delegates = built.delegates;
  counts.entries = built.entries();
  counts.far_entries = built.far_entries();
  counts.devices = static_cast<std::uint64_t>(built.devices);
  counts.own_labels_only = request.sparse_labels && request.ranks > 1;
  counts.pieces_land = apart;
  // Between ranks, the far targets of all devices of one may wait side by side, and a mask that is of no device.
  std::uint64_t const rows = cuda::DevicePieces::predict_bytes(bytes_of<Vertex>(counts.far_entries), counts.devices);
  return saturating_sum({cuda::PartIndex::predict_bytes(counts.vertices, counts.delegates),
                         predict_part_stepper_bytes(counts, request.wide_parents),
                         bytes_of<std::uint32_t>(counts.vertices),  // degrees, to count the tuples of a tree
                         request.ranks > 1 ? saturating_sum({rows, counts.delegates / 8 + 8}) : 0});
}

}  // namespace

std::uint64_t devices_sharing_a_gpu(const PlanRequest& request)
{
  if (request.devices_on_gpu > 0) return static_cast<std::uint64_t>(request.devices_on_gpu);
  // Beforehand, ranks are taken to share what they see.
  std::size_t const gpus = device::usable_gpus().size();
  std::size_t const devices =
      static_cast<std::size_t>(request.devices_here) * static_cast<std::size_t>(job_place().ranks_on_machine);
  return (devices + gpus - 1) / gpus;
}

// Of one GPU: of all devices that share it.
MemoryPlan make_plan_of_gpu_parts(const EdgeFacts& facts, const PlanRequest& request)
{
  std::uint64_t const sharing = devices_sharing_a_gpu(request);
  auto const all = [&](std::uint64_t bytes) { return saturating_product(bytes, sharing); };
  DevicePartCounts counts;
  counts.vertices = request.vertices;
  counts.tuples = facts.edges / static_cast<std::uint64_t>(request.devices_here) + 1;
  counts.devices = request.devices_here * request.ranks;
  counts.directed = request.directed;
  counts.listed_twice = facts.listed_twice && !request.directed;
  counts.skewed = is_skewed(facts, request);
  std::uint64_t const own = counts.own_vertices();
  std::uint64_t const ends = saturating_product(facts.edges, 2 * static_cast<std::uint64_t>(request.ranks));
  counts.delegates = most_delegates_in_parts(request, own, ends);
  DevicePartBytes const build = predict_device_part_bytes(counts, static_cast<int>(sharing));
  std::uint64_t const search =
      predict_searching_bytes(counts, request, device::usable_gpus().size() > 1 || request.ranks > 1);
  std::uint64_t const table = request.sparse_labels ? saturating_product(request.vertices, sizeof(Label)) : 0;

  MemoryPlan plan;
  plan.graph = facts.name;
  plan.memory = "GPU memory";
  plan.vertices = request.vertices;
  plan.edges = facts.edges;
  plan.ranks = request.ranks;
  plan.devices = request.devices_here;
  bool const generated = facts.name.starts_with("kron:");
  bool const kept = request.keep_tuples_on_gpu && generated;
  plan.tuples = kept        ? "kept on the GPU while building"
                : generated ? "generated on the GPU for each pass"
                            : "copied from the host for each pass";
  std::uint64_t const list = kept ? saturating_product(counts.tuples, 12) : 0;
  set_parts(plan, {0, all(build.entries), all(build.rows), 0, saturating_sum({all(build.labels), table}),
                   all(saturating_sum({build.temporary, list})), all(search), 0});
  plan.available_bytes = device::free_gpu_bytes();
  return plan;
}

}  // namespace brushfire
