// Batched searches on the GPU that holds the graph.
#include "device/use_gpu.hpp"
#include "engine/cuda/gpu_graph.hpp"
#include "engine/gpu.hpp"
#include "engine/graph_data.hpp"
#include "traverse/cuda/batch_stepper.hpp"

namespace brushfire {

namespace {

// Any thread may call, and CUDA keeps a current device per thread.
class GpuBatchStepper final : public BatchStepper {
 public:
  GpuBatchStepper(const DeviceLayout& layout, const BatchStepperOptions& options)
      : stepper_(make_cuda_batch_stepper(layout, options, stream_))
  {
  }

  void start(std::span<const Vertex> sources) override
  {
    device::UseGpu const gpu;
    stepper_->start(sources);
    note_bytes_while_searching();
  }
  FoundByBatch step() override
  {
    device::UseGpu const gpu;
    return stepper_->step();
  }
  std::span<const Word> found_bits() override
  {
    device::UseGpu const gpu;
    return stepper_->found_bits();
  }
  void write_levels(std::span<std::int32_t> rows) override
  {
    device::UseGpu const gpu;
    stepper_->write_levels(rows);
  }

 private:
  device::Stream stream_;
  std::unique_ptr<BatchStepper> stepper_;
};

}  // namespace

std::unique_ptr<BatchStepper> make_gpu_batch_stepper(const GraphData& graph, const BatchStepperOptions& options)
{
  device::UseGpu const gpu;
  const DeviceLayout& layout = graph.on_gpu().layout;
  require_gpu_bytes("searching " + graph.facts.name + " in batches",
                    predict_cuda_batch_stepper_bytes(layout.vertices, layout.delegates, options.levels));
  return std::make_unique<GpuBatchStepper>(layout, options);
}

}  // namespace brushfire
