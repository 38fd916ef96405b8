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
#include "traverse/cpu/frontier.hpp"
#include "traverse/cpu/targets.hpp"
#include "traverse/policy.hpp"
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
  // Take in what the level has found, and fill frontier() with what of it lives here.
  virtual void close_level() = 0;
  // Tell other devices where their vertices were found from, and hear it of the own ones; `heard` has room for each.
  virtual void tell_parents(Exchange& exchange, std::span<FarVertex> heard) = 0;
  // Of the own vertices from 64 * w on: bits of those that were found, and where from; the root from itself.
  virtual Word found_from(std::uint64_t w, FarVertex* parents) const = 0;
  virtual bool has_visited(Vertex own_number) const = 0;
  // What the sources of the next frontier will push, and what waits; where all devices must choose alike.
  virtual void count_work(LevelCounters&) const {}

  static BlockTargets targets_at(Word* visited, Vertex* parents, std::uint64_t count)
  {
    return {.visited = visited,
            .parents = parents,
            .levels = nullptr,
            .to_delegates = {},
            .to_normals = {},
            .level = 0,
            .never_waiting = nullptr,
            .count = count};
  }

  void begin_level();
  // With the mean list of who waits, if what is unexplored is theirs.
  Direction choose_direction(SubgraphWork work) const;
  void set_direction(Direction direction);
  Frontier& frontier() { return frontier_; }  // what of it lives here
  std::uint64_t take_tallies();               // to the level's record; returns how many were found

  const Block& block_;
  const CpuStepperOptions options_;
  Team team_;
  int device_;
  Vertex own_;  // vertices that live here
  std::vector<Tally> tallies_;
  LevelRecord record_;

 private:
  bool keeps_levels() const { return options_.levels || options_.deterministic; }
  bool is_here(Home home) const { return static_cast<int>(home.device) == device_; }
  LevelCounters counters(bool stop) const;
  template <typename Parent, typename Name>
  void write_parents(Parent* parents, Name&& name) const;

  BlockPlace place_;
  Limits limits_;
  Home root_{};
  std::int64_t level_ = 0, depth_ = 0;
  std::uint64_t reached_ = 0;
  Direction direction_ = Direction::push;
  Frontier frontier_;
  Buffer<std::int32_t> levels_;
  Buffer<Label> parents_;  // at first where they live, then their names
  Buffer<std::int32_t> narrow_parents_;
  Stopwatch watch_;
};

}  // namespace cpu

}  // namespace brushfire
