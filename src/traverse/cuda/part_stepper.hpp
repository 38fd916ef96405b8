// A GPU, or a share of one, as one of several devices, each with a part of the graph.
#pragma once

#include "base/labels_view.hpp"
#include "build/cuda/device_part.hpp"
#include "device/parents.hpp"
#include "traverse/cuda/cuda_stepper.hpp"
#include "traverse/cuda/part_counts.hpp"
#include "traverse/cuda/part_index.hpp"
#include "traverse/stepper.hpp"

#include <memory>

namespace brushfire {

class PartStepper : public TreeStepper {
 public:
  virtual device::ParentsOnDevice parents_on_device() const = 0;
};

// `part`, its `index`, `stream` and the table of `labels`, which is in device memory, must outlive the stepper. The GPU
// must be current whenever it is used.
std::unique_ptr<PartStepper> make_part_stepper(const DevicePart& part, const cuda::PartIndex& index,
                                               DealtLabelsView labels, const CudaStepperOptions& options,
                                               const device::Stream& stream);

// What such a stepper allocates at most, whatever its options.
std::uint64_t predict_part_stepper_bytes(const cuda::PartSearchCounts& counts, bool wide_parents);

}  // namespace brushfire
