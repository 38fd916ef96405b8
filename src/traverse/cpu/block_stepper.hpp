// A CPU that has one block of a plain graph cut by a grid of devices: what the published 1D and 2D searches have in
// common. How devices tell each other what they found is what they differ in, and each is a stepper of its own.
#pragma once

#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/dealing.hpp"
#include "base/labels_view.hpp"
#include "base/parallel.hpp"
#include "build/block.hpp"
#include "traverse/cpu/cpu_stepper.hpp"
#include "traverse/cpu/finding_bins.hpp"
#include "traverse/cpu/kernels.hpp"
#include "traverse/cpu/push.hpp"
#include "traverse/stepper.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace brushfire {

// What a device knows of the graph; all of it must outlive the stepper.
struct BlockPlace {
  const Block& block;
  Dealing dealing;         // of indices
  DealtLabelsView labels;  // what the input calls vertices
  Vertex vertices;         // that live here
};

std::unique_ptr<TreeStepper> make_butterfly_stepper(const BlockPlace& place, const CpuStepperOptions& options,
                                                    Team team);
std::unique_ptr<TreeStepper> make_ring_stepper(const BlockPlace& place, const CpuStepperOptions& options, Team team);
std::unique_ptr<TreeStepper> make_grid_stepper(const BlockPlace& place, const CpuStepperOptions& options, Team team);

// The most that such a stepper touches.
std::uint64_t predict_butterfly_stepper_bytes(const BlockSizes& sizes);
std::uint64_t predict_ring_stepper_bytes(const BlockSizes& sizes);
std::uint64_t predict_grid_stepper_bytes(const BlockSizes& sizes);

namespace cpu {

// Of what all of them have.
std::uint64_t predict_block_stepper_bytes(const BlockSizes& sizes);
// A queue and bits.
constexpr std::uint64_t frontier_bytes(std::uint64_t vertices) { return vertices * sizeof(Vertex) + vertices / 4; }

// Parents and levels of the own vertices, the level they are at, and what a level reports.
class BlockStepper : public TreeStepper {
 public:
  BlockStepper(const BlockPlace& place, const CpuStepperOptions& options, Team team);

  LevelCounters start(std::uint64_t root, const Limits& limits) final;
  LevelCounters finish_level(Trace& trace, const Traffic& traffic) final;
  void finish(Exchange& exchange) final;
  TreeFacts facts() const final { return {reached_, depth_, options_.wide_parents ? 64 : 32}; }
  TreeOnHost result() const final;

 protected:
  // A target as the kernels settle it: its parent is the slot of a source.
  using BlockTargets = Targets<Vertex>;

  // For steppers to do: forget the last search and visit the root, wherever that lives.
  virtual void start_at(Home root) = 0;
  // Take in what the level has found, and call found_own() for what lives here.
  virtual void close_level() = 0;
  // Write where the own vertices were found from, by number; nothing where they were not.
  virtual void tell_parents(Exchange& exchange, std::span<FarVertex> parents) = 0;
  // What the sources of the next frontier will push, and what waits; where all devices must choose alike.
  virtual void count_work(LevelCounters&) const {}

  void begin_level();
  void set_direction(Direction direction);
  void found_own(Vertex number) { queue_[found_++] = number; }
  Vertex* found_own_many(std::uint64_t count);                                      // for the caller to fill
  std::span<const Vertex> frontier() const { return queue_.span().first(found_); }  // what of it lives here
  std::uint64_t take_tallies();  // to the level's record; returns how many were found
  Direction direction_before() const { return direction_; }

  const Block& block_;
  const CpuStepperOptions options_;
  Team team_;
  int device_;
  Vertex own_;  // vertices that live here
  FindingBins bins_;
  std::vector<Tally> tallies_;
  LevelRecord record_;

 private:
  bool keeps_levels() const { return options_.levels || options_.deterministic; }
  bool is_here(Home home) const { return static_cast<int>(home.device) == device_; }
  LevelCounters counters(bool stop) const;

  BlockPlace place_;
  Limits limits_;
  Home root_{};
  std::int64_t level_ = 0, depth_ = 0;
  std::uint64_t reached_ = 0;
  std::uint64_t found_ = 0;  // own vertices in the queue
  Direction direction_ = Direction::push;
  Buffer<Vertex> queue_;
  Buffer<std::int32_t> levels_;
  Buffer<FarVertex> found_from_;
  Buffer<Label> names_;  // of the parents
  Buffer<std::int32_t> narrow_parents_;
  Stopwatch watch_;
};

}  // namespace cpu

}  // namespace brushfire
