// What blocks of a graph take on a GPU. They are built on the host, and what that takes is in the plan for the host.
#include "base/saturating.hpp"
#include "device/gpus.hpp"
#include "engine/cuda/gpu_graph.hpp"
#include "engine/preset.hpp"
#include "traverse/cuda/block_stepper.hpp"

namespace brushfire {

MemoryPlan make_plan_of_gpu_blocks(const EdgeFacts& facts, const PlanRequest& request)
{
  BlockCut const cut = cut_for(request.preset, request.devices_here * request.ranks, request.grid);
  bool const one_way = request.directed || facts.listed_twice;
  BlockBytes const here = predict_block_bytes(cut, request, saturating_product(facts.edges, one_way ? 1 : 2));
  BlockSizes const sizes = block_sizes(cut, request);
  std::uint64_t const search = request.preset == Preset::ring   ? predict_gpu_ring_stepper_bytes(sizes)
                               : request.preset == Preset::grid ? predict_gpu_grid_stepper_bytes(sizes)
                                                                : predict_gpu_butterfly_stepper_bytes(sizes);
  std::uint64_t const sharing = devices_sharing_a_gpu(request);
  auto const devices_here = static_cast<std::uint64_t>(request.devices_here);
  auto const on_gpu = [&](std::uint64_t of_rank) { return saturating_product(of_rank / devices_here + 1, sharing); };
  MemoryPlan plan;
  plan.graph = facts.name;
  plan.memory = "GPU memory";
  plan.vertices = request.vertices;
  plan.edges = facts.edges;
  plan.ranks = request.ranks;
  plan.devices = request.devices_here;
  plan.tuples = "none: a graph in blocks is built on the host and copied";
  std::uint64_t const table = request.sparse_labels ? saturating_product(request.vertices, sizeof(Label)) : 0;
  std::uint64_t const degrees = saturating_product(sizes.own, sizeof(std::uint32_t));  // to count the tuples of a tree
  set_parts(plan, {0, on_gpu(here.entries), on_gpu(here.rows), 0, table, 0,
                   saturating_product(saturating_sum({search, degrees}), sharing), 0});
  plan.available_bytes = device::free_gpu_bytes();
  return plan;
}

}  // namespace brushfire
