// Blocks of a graph on GPUs. They are built on the host, and what that takes is in the plan for the host.
#include "base/error.hpp"
#include "base/saturating.hpp"
#include "engine/cuda/gpu_graph.hpp"
#include "engine/cuda/gpu_parts.hpp"
#include "engine/cuda/stepping_on_gpu.hpp"
#include "engine/preset.hpp"
#include "traverse/cuda/block_stepper.hpp"

namespace brushfire {

namespace {

struct BlockSystem {
  decltype(&make_gpu_ring_stepper) make_stepper;
  decltype(&predict_gpu_ring_stepper_bytes) predict_bytes;
};

BlockSystem system_of(Preset preset)
{
  switch (preset) {
    case Preset::ring:
      return {make_gpu_ring_stepper, predict_gpu_ring_stepper_bytes};
    case Preset::grid:
      return {make_gpu_grid_stepper, predict_gpu_grid_stepper_bytes};
    case Preset::butterfly:
      return {make_gpu_butterfly_stepper, predict_gpu_butterfly_stepper_bytes};
    default:
      fail(ErrorKind::failure, "the preset {} does not cut a graph into blocks", name_of(preset));
  }
}

// To count the tuples of a tree.
std::uint64_t degree_bytes(std::uint64_t own) { return saturating_product(own, sizeof(std::uint32_t)); }

}  // namespace

void copy_block(GpuParts& parts, const PartedGraph::Place& from, GpuParts::Place& to, const device::Stream& stream)
{
  to.block = copy_to_device(from.block, stream);
  to.labels = labels_on_gpu(parts, to.gpu, from.input_labels(), stream);
  Dealing& dealing = to.labels.dealing;
  if (dealing.bounds == nullptr) return;
  to.bounds = device::make_buffer(std::span(dealing.bounds, dealing.devices + 1), stream);
  dealing.bounds = to.bounds.data();
}

std::unique_ptr<TreeStepper> make_gpu_block_stepper(const PartedGraph& graph, const GpuParts& parts, int index,
                                                    const SearchOptions& options, const GpuPartOptions& more)
{
  const GpuParts::Place& place = parts.place(index);
  const PartedGraph::Place& on_host = graph.place(index);
  const device::Stream& stream = parts.streams.at(place.gpu);
  BlockSystem const system = system_of(graph.preset());
  device::UseGpu const gpu(place.gpu);
  BlockSizes const sizes{.own = on_host.labels.size(),
                         .sources = on_host.block.sources().slots(),
                         .targets = on_host.block.targets().slots(),
                         .wide_parents = more.wide_parents,
                         .fanout = options.fanout};
  require_gpu_bytes("searching a part of the graph",
                    saturating_sum({system.predict_bytes(sizes), degree_bytes(sizes.own)}));
  DeviceBlockPlace const block{.block = on_host.block,
                               .rows = place.block,
                               .dealing = on_host.labels.dealing(),
                               .labels = on_host.input_labels().view(),
                               .labels_on_device = place.labels,
                               .vertices = on_host.labels.size()};
  return std::make_unique<SteppingOnGpu>(
      place.gpu, stream, [&] { return system.make_stepper(block, stepper_options(options, more), stream); });
}

MemoryPlan make_plan_of_gpu_blocks(const EdgeFacts& facts, const PlanRequest& request)
{
  BlockCut const cut = cut_for(request.preset, request.devices_here * request.ranks, request.grid);
  bool const one_way = request.directed || facts.listed_twice;
  BlockBytes const here = predict_block_bytes(cut, request, saturating_product(facts.edges, one_way ? 1 : 2));
  BlockSizes const sizes = block_sizes(cut, request);
  std::uint64_t const sharing = devices_sharing_a_gpu(request);
  auto const devices_here = static_cast<std::uint64_t>(request.devices_here);
  auto const on_gpu = [&](std::uint64_t of_rank) { return saturating_product(of_rank / devices_here + 1, sharing); };
  std::uint64_t const search =
      saturating_sum({system_of(request.preset).predict_bytes(sizes), degree_bytes(sizes.own)});
  MemoryPlan plan = begin_gpu_plan(facts, request);
  plan.tuples = "none: a graph in blocks is built on the host and copied";
  set_parts(plan, {.entries = on_gpu(here.entries),
                   .rows = on_gpu(here.rows),
                   .labels = label_table_bytes(request),
                   .search = saturating_product(search, sharing)});
  return plan;
}

}  // namespace brushfire
