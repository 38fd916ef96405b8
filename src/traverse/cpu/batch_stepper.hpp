// Batched searches on the CPU.
#pragma once

#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "traverse/batch_stepper.hpp"

#include <cstdint>
#include <memory>

namespace brushfire {

// `layout` must outlive the stepper.
std::unique_ptr<BatchStepper> make_cpu_batch_stepper(const Layout& layout, const BatchStepperOptions& options,
                                                     Team team);

// What such a stepper touches, from counts alone; levels past 254 take more.
std::uint64_t predict_cpu_batch_stepper_bytes(std::uint64_t vertices, std::uint64_t delegates, bool levels, Team team);

}  // namespace brushfire
