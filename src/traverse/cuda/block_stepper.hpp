// A GPU, or a share of one, that has one block of a plain graph cut by a grid of devices; see
// traverse/cpu/block_stepper.hpp.
#pragma once

#include "base/dealing.hpp"
#include "base/labels_view.hpp"
#include "build/block.hpp"
#include "build/cuda/device_block.hpp"
#include "traverse/cuda/cuda_stepper.hpp"
#include "traverse/cuda/part_stepper.hpp"

#include <cstdint>
#include <memory>

namespace brushfire {

// What a device knows of the graph; all of it must outlive the stepper.
struct DeviceBlockPlace {
  const Block& block;       // with its rows, for what is done on the host
  const DeviceBlock& rows;  // on the device
  Dealing dealing;          // of indices
  DealtLabelsView labels;   // what the input calls vertices, on the host
  DealtLabelsView labels_on_device;
  Vertex vertices;  // that live here
};

// The GPU must be current whenever they are used.
std::unique_ptr<PartStepper> make_gpu_butterfly_stepper(const DeviceBlockPlace& place,
                                                        const CudaStepperOptions& options,
                                                        const device::Stream& stream);
std::unique_ptr<PartStepper> make_gpu_ring_stepper(const DeviceBlockPlace& place, const CudaStepperOptions& options,
                                                   const device::Stream& stream);
std::unique_ptr<PartStepper> make_gpu_grid_stepper(const DeviceBlockPlace& place, const CudaStepperOptions& options,
                                                   const device::Stream& stream);

// What they allocate.
std::uint64_t predict_gpu_butterfly_stepper_bytes(const BlockSizes& sizes);
std::uint64_t predict_gpu_ring_stepper_bytes(const BlockSizes& sizes);
std::uint64_t predict_gpu_grid_stepper_bytes(const BlockSizes& sizes);

}  // namespace brushfire
