// A GPU, or a share of one, as one of several devices, each with a part of the graph. What it has for others goes
// through host memory.
#pragma once

#include "base/labels_view.hpp"
#include "build/cuda/device_part.hpp"
#include "traverse/cuda/cuda_stepper.hpp"
#include "traverse/cuda/search_index.hpp"
#include "traverse/stepper.hpp"

#include <memory>

namespace brushfire {

// `part`, its `index` (cuda::index_part) and the table of `labels`, which is in device memory, must outlive the
// stepper. It has a stream of its own on the current GPU, which must be current again whenever it is used.
std::unique_ptr<TreeStepper> make_part_stepper(const DevicePart& part, const cuda::SearchIndex& index,
                                               DealtLabelsView labels, const CudaStepperOptions& options);

}  // namespace brushfire
