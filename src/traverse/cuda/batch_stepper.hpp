// Batched searches on a GPU.
#pragma once

#include "build/cuda/device_layout.hpp"
#include "device/stream.hpp"
#include "traverse/batch_stepper.hpp"

#include <cstdint>
#include <memory>

namespace brushfire {

// `layout` and `stream` must outlive the stepper.
std::unique_ptr<BatchStepper> make_cuda_batch_stepper(const DeviceLayout& layout, const BatchStepperOptions& options,
                                                      const device::Stream& stream);

// What such a stepper allocates on the device.
std::uint64_t predict_cuda_batch_stepper_bytes(std::uint64_t vertices, std::uint64_t delegates, bool levels);

}  // namespace brushfire
