// What the published systems are made of: how each cuts the graph, and how many rounds its devices need for a level.
#pragma once

#include "build/block.hpp"
#include "build/degrees.hpp"
#include "engine/plan.hpp"
#include "traverse/cpu/block_stepper.hpp"

#include <brushfire/graph.hpp>
#include <brushfire/machine.hpp>
#include <brushfire/search.hpp>

#include <memory>

namespace brushfire {

// What `auto` takes for so many CPUs that share a graph with these degrees: itself, or a preset that cuts a plain
// graph.
Preset choose_preset(const DegreeHistogram& degrees, int devices);

// For so many devices, of all ranks. Throws Error(usage) when the grid that was asked for has another number of them.
BlockCut cut_for(Preset preset, int devices, const std::optional<GridShape>& grid);

// What the blocks of one rank take.
struct BlockBytes {
  std::uint64_t entries = 0, rows = 0, building = 0, search = 0;
};
BlockSizes block_sizes(const BlockCut& cut, const PlanRequest& request);
// `entries` are the list entries that its tuples make.
BlockBytes predict_block_bytes(const BlockCut& cut, const PlanRequest& request, std::uint64_t entries);

int rounds_for(Preset preset, int devices, int fanout);
const char* exchange_name(Preset preset);
const char* partition_name(Preset preset);

std::unique_ptr<TreeStepper> make_block_stepper(Preset preset, const BlockPlace& place,
                                                const CpuStepperOptions& options, Team team);

}  // namespace brushfire
