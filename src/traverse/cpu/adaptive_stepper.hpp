// The adaptive preset, XBFS, on a CPU that has a whole graph without delegates.
#pragma once

#include "traverse/adaptive_policy.hpp"
#include "traverse/cpu/cpu_stepper.hpp"

#include <cstdint>
#include <memory>

namespace brushfire {

// `layout` and the table of `labels` must outlive the stepper. Of the options' policy only `forced` counts.
std::unique_ptr<TreeStepper> make_adaptive_cpu_stepper(const Layout& layout, LabelsView labels,
                                                       const CpuStepperOptions& options,
                                                       const AdaptiveOptions& adaptive, Team team);

// The most such a stepper touches, from counts alone.
std::uint64_t predict_adaptive_cpu_stepper_bytes(std::uint64_t vertices, bool wide_parents);

}  // namespace brushfire
