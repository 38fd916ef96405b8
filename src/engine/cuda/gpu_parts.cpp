// A graph in parts on GPUs. Several devices may share one GPU, its table of labels, and its stream: their kernels each
// fill a GPU, and take turns.
#include "base/error.hpp"
#include "build/cuda/device_part.hpp"
#include "device/gpus.hpp"
#include "device/use_gpu.hpp"
#include "engine/cuda/gpu_graph.hpp"
#include "engine/gpu.hpp"
#include "engine/parted_graph.hpp"
#include "exchange/cuda/gpu_memory.hpp"
#include "exchange/job_wire.hpp"
#include "traverse/cuda/part_index.hpp"
#include "traverse/cuda/part_stepper.hpp"

#include <brushfire/report.hpp>

#include <map>
#include <vector>

namespace brushfire {

class GpuParts {
 public:
  struct Place {
    int gpu;
    DevicePart part;
    cuda::PartIndex index;
    DealtLabelsView labels;  // with its table on the GPU
  };
  std::vector<Place> places;
  std::map<int, device::Buffer<Label>> label_tables;  // by GPU
  std::map<int, device::Stream> streams;              // likewise
};

namespace {

DealtLabelsView labels_on_gpu(GpuParts& parts, int gpu, const DealtLabels& labels, const device::Stream& stream)
{
  DealtLabelsView view = labels.view();
  if (view.own_only) view.table = nullptr;  // the part has its own, and is told the others
  if (view.table == nullptr) return view;
  auto const [held, is_new] = parts.label_tables.try_emplace(gpu);
  if (is_new) held->second = device::make_buffer(std::span(view.table, labels.total()), stream);
  view.table = held->second.data();
  return view;
}

// CUDA keeps a current device per thread, and every device searches on a thread of its own.
class SteppingOnGpu final : public TreeStepper {
 public:
  SteppingOnGpu(const GpuParts::Place& place, const CudaStepperOptions& options, const device::Stream& stream)
      : gpu_(place.gpu)
  {
    device::UseGpu const gpu(gpu_);
    stepper_ = make_part_stepper(place.part, place.index, place.labels, options, stream);
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
  void finish(Exchange& exchange) override
  {
    device::UseGpu const gpu(gpu_);
    stepper_->finish(exchange);
    note_bytes_while_searching();
  }
  TreeOnHost result() const override
  {
    device::UseGpu const gpu(gpu_);
    return stepper_->result();
  }

 private:
  int gpu_;
  std::unique_ptr<TreeStepper> stepper_;
};

}  // namespace

std::shared_ptr<const GpuParts> copy_to_gpus(const PartedGraph& graph)
{
  auto const& gpus = device::usable_gpus();
  if (gpus.empty()) fail(ErrorKind::failure, "no usable GPU: {}", device::why_no_gpu());
  auto parts = std::make_shared<GpuParts>();
  for (int index = 0; index < graph.devices_here(); ++index) {
    const PartedGraph::Place& place = graph.place(index);
    auto const on_machine = static_cast<std::size_t>(index + job_place().rank_on_machine * graph.devices_here());
    int const number = gpus[on_machine % gpus.size()];
    device::UseGpu const gpu(number);
    if (std::uint64_t const needed = place.part.bytes(), free = device::free_gpu_bytes(); needed > free)
      fail(ErrorKind::memory, "a part of the graph takes {} of GPU memory and {} are free; use --device cpu",
           human_bytes(needed), human_bytes(free));
    const device::Stream& stream = parts->streams[number];
    const DealtLabels& labels = place.input_labels();
    DevicePart part = copy_to_device(place.part, labels.view(), labels.size(), stream);
    cuda::PartIndex index_of_part(part, stream);
    parts->places.push_back(
        {number, std::move(part), std::move(index_of_part), labels_on_gpu(*parts, number, labels, stream)});
  }
  return parts;
}

std::unique_ptr<TreeStepper> make_gpu_part_stepper(const GpuParts& parts, int index, const SearchOptions& options,
                                                   const GpuPartOptions& more)
{
  CudaStepperOptions stepper;
  stepper.direction = options.direction;
  stepper.deterministic = options.deterministic;
  stepper.levels = options.levels;
  stepper.wide_parents = more.wide_parents;
  stepper.senders = more.senders;
  stepper.as_published = options.preset == Preset::delegates;
  stepper.uniquify = options.uniquify;
  const GpuParts::Place& place = parts.places[static_cast<std::size_t>(index)];
  return std::make_unique<SteppingOnGpu>(place, stepper, parts.streams.at(place.gpu));
}

std::unique_ptr<Memory> memory_of(const GpuParts& parts)
{
  std::vector<int> gpus;
  for (const GpuParts::Place& place : parts.places) gpus.push_back(place.gpu);
  return std::make_unique<cuda::GpuMemory>(std::move(gpus));
}

}  // namespace brushfire
