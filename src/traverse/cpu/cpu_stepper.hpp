// The CPU as a device: alone with the whole graph, or one of several with a part of it.
#pragma once

#include "base/labels_view.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "build/part.hpp"
#include "traverse/policy.hpp"
#include "traverse/stepper.hpp"

#include <cstdint>
#include <memory>

namespace brushfire {

struct CpuStepperOptions {
  DirectionPolicy policy;
  bool deterministic = false;
  bool levels = false;
  bool wide_parents = false;  // 64 bits; must be set when a label does not fit 31
  bool uniquify = false;      // send no vertex to another device twice in a level
  int fanout = 1;             // of a butterfly
  int senders = 0;            // what arrives from device k may come from any k' = k modulo this; 0: from k alone
};

// `layout` or `part`, and the table of `labels`, must outlive the stepper.
std::unique_ptr<TreeStepper> make_cpu_stepper(const Layout& layout, LabelsView labels, const CpuStepperOptions& options,
                                              Team team);
// Its result is that of its own vertices, indexed by their numbers on this device.
std::unique_ptr<TreeStepper> make_cpu_stepper(const Part& part, DealtLabelsView labels,
                                              const CpuStepperOptions& options, Team team);

// The most such a stepper touches, from counts alone.
std::uint64_t predict_cpu_stepper_bytes(std::uint64_t vertices, std::uint64_t delegates, bool wide_parents, bool levels,
                                        Team team);

}  // namespace brushfire
