// CUDA keeps a current device per thread, and every device searches on a thread of its own.
#pragma once

#include "device/buffer.hpp"
#include "device/stream.hpp"
#include "device/use_gpu.hpp"
#include "engine/cuda/gpu_graph.hpp"
#include "engine/cuda/tuples_in_tree.hpp"
#include "traverse/cuda/part_stepper.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace brushfire {

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

}  // namespace brushfire
