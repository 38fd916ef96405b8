// A graph in parts on GPUs, built there or copied. Several devices may share one GPU and its table of labels; they
// build each on a stream of its own, and search on one: those kernels each fill a GPU, and take turns.
#include "engine/cuda/gpu_parts.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "build/cuda/device_part_builder.hpp"
#include "device/gpus.hpp"
#include "device/use_gpu.hpp"
#include "engine/cuda/stepping_on_gpu.hpp"
#include "exchange/cuda/gpu_memory.hpp"
#include "exchange/cuda/gpu_wire.hpp"
#include "exchange/gather.hpp"
#include "exchange/job_wire.hpp"
#include "input/cuda/tuples_on_device.hpp"
#include "traverse/cuda/part_stepper.hpp"

#include <brushfire/report.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace brushfire {

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

}  // namespace

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

std::shared_ptr<const GpuParts> copy_to_gpus(const PartedGraph& graph)
{
  auto parts = begin_gpu_parts(graph.devices_here());
  for (int index = 0; index < graph.devices_here(); ++index) {
    const PartedGraph::Place& from = graph.place(index);
    GpuParts::Place& to = parts->place(index);
    device::UseGpu const gpu(to.gpu);
    require_gpu_bytes("a part of the graph", graph.cut() ? from.block.bytes() : from.part.bytes());
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

std::unique_ptr<TreeStepper> make_gpu_part_stepper(const GpuParts& parts, int index, const SearchOptions& options,
                                                   const GpuPartOptions& more)
{
  const GpuParts::Place& place = parts.place(index);
  const device::Stream& stream = parts.streams.at(place.gpu);
  CudaStepperOptions stepper = stepper_options(options, more);
  stepper.sharing = parts.sharing;
  return std::make_unique<SteppingOnGpu>(
      place.gpu, stream, [&] { return make_part_stepper(place.part, *place.index, place.labels, stepper, stream); });
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

}  // namespace brushfire
