// One GPU as one device that holds the whole graph. It runs many levels before it returns to the level loop.
#pragma once

#include "build/cuda/device_layout.hpp"
#include "device/parents.hpp"
#include "device/stream.hpp"
#include "traverse/adaptive_policy.hpp"
#include "traverse/cuda/search_index.hpp"
#include "traverse/part_policy.hpp"
#include "traverse/stepper.hpp"

#include <brushfire/trace.hpp>
#include <brushfire/types.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace brushfire {

struct CudaStepperOptions {
  std::optional<Direction> direction;  // nothing: chosen
  bool deterministic = false;
  bool levels = false;
  bool wide_parents = false;  // 64 bits; must be set when a label does not fit 31
  // Frontiers with fewer list entries are searched by one block alone. Tests set 0, so that small graphs take the
  // way of large ones.
  std::uint32_t narrow_entries = 8192;
  // Vertices of a first pull that are worth three more launches (H200: scale 24 gains 4 %, scale 22 would lose 7);
  // a quarter of it in a part. Tests set 0.
  std::uint32_t least_apart = 1u << 22;

  // As one of several devices.
  PartRule rule = PartRule::cheapest;  // push or pull
  bool uniquify = false;               // send no vertex to another device twice in a level
  int senders = 0;  // what arrives from device k may come from any k' = k modulo this; 0: from k alone
  int fanout = 4;   // of a butterfly
  int sharing = 1;  // devices on one GPU, at most
};

// What a finished search left on the device.
struct DeviceTree {
  device::ParentsOnDevice parents;
  const std::int32_t* levels = nullptr;  // null unless asked for
  std::uint64_t reached = 0;
  std::int64_t depth = 0;
  bool first_pull_was_apart = false;  // by kernels of its own, see first_pull.cuh
};

class CudaStepper : public Stepper {
 public:
  // It is alone: nothing to send, nothing arrives.
  Outbox outbox(Round) final { return {}; }
  void absorb(Round, Piece) final {}
  virtual DeviceTree tree() const = 0;
};

// `layout`, its `index`, the table of `labels` and `stream` must outlive the stepper.
std::unique_ptr<CudaStepper> make_cuda_stepper(const DeviceLayout& layout, const cuda::SearchIndex& index,
                                               device::LabelsOnDevice labels, const CudaStepperOptions& options,
                                               const device::Stream& stream);
// XBFS over a layout without delegates.
std::unique_ptr<CudaStepper> make_adaptive_stepper(const DeviceLayout& layout, device::LabelsOnDevice labels,
                                                   const CudaStepperOptions& options, const AdaptiveOptions& adaptive,
                                                   const device::Stream& stream);

// What such a stepper allocates, and the index for the first, from counts alone.
std::uint64_t predict_cuda_stepper_bytes(std::uint64_t vertices, std::uint64_t delegates, std::uint64_t entries,
                                         bool wide_parents, bool levels);
std::uint64_t predict_adaptive_stepper_bytes(std::uint64_t vertices, std::uint64_t entries, bool directed,
                                             bool wide_parents, bool levels);

}  // namespace brushfire
