// What parts of a graph take on a GPU, before anything is known of it but counts.
#include "base/saturating.hpp"
#include "build/cuda/device_part_builder.hpp"
#include "device/gpus.hpp"
#include "device/use_gpu.hpp"
#include "engine/cuda/gpu_graph.hpp"
#include "exchange/cuda/device_pieces.hpp"
#include "exchange/job_wire.hpp"
#include "traverse/cuda/part_index.hpp"
#include "traverse/cuda/part_stepper.hpp"

#include <algorithm>

namespace brushfire {

namespace {

std::uint64_t most_delegates_in_parts(const PlanRequest& request, std::uint64_t own, std::uint64_t ends)
{
  if (!request.threshold) return std::min(4 * own, request.vertices / 4);  // see choose_threshold_of_parts()
  return *request.threshold == plain_threshold ? 0 : std::min(request.vertices, ends / (*request.threshold + 1));
}

// Whether hubs will be on most edges: surely of Kronecker graphs that are as dense as those of Graph500, with a
// threshold that is low enough. Of other graphs it is not known before their degrees are.
bool is_skewed(const EdgeFacts& facts, const PlanRequest& request)
{
  constexpr std::uint64_t least_degree = 8, most_threshold = 64;
  constexpr int most_devices = 64;  // the more there are, the fewer delegates each can hold
  return generates_on_gpu(facts) && request.threshold.value_or(0) <= most_threshold &&
         request.devices_here * request.ranks <= most_devices &&
         saturating_product(facts.edges, static_cast<std::uint64_t>(request.ranks)) / least_degree >= request.vertices;
}

// Of one device. `apart`: not all devices are of this process and on one GPU.
std::uint64_t predict_searching_bytes(const DevicePartCounts& built, const PlanRequest& request, bool apart)
{
  cuda::PartSearchCounts counts;
  counts.all_vertices = built.vertices;
  counts.vertices = built.own_vertices();
  counts.delegates = built.delegates;
  counts.entries = built.entries();
  counts.far_entries = built.far_entries();
  counts.devices = static_cast<std::uint64_t>(built.devices);
  counts.own_labels_only = request.sparse_labels && request.ranks > 1;
  counts.pieces_land = apart;
  // Between ranks, the far targets of all devices of one may wait side by side, and a mask that is of no device.
  std::uint64_t const rows = cuda::DevicePieces::predict_bytes(bytes_of<Vertex>(counts.far_entries), counts.devices);
  return saturating_sum({cuda::PartIndex::predict_bytes(counts.vertices, counts.delegates),
                         predict_part_stepper_bytes(counts, request.wide_parents),
                         bytes_of<std::uint32_t>(counts.vertices),  // degrees, to count the tuples of a tree
                         request.ranks > 1 ? saturating_sum({rows, counts.delegates / 8 + 8}) : 0});
}

}  // namespace

std::uint64_t devices_sharing_a_gpu(const PlanRequest& request)
{
  if (request.devices_on_gpu > 0) return static_cast<std::uint64_t>(request.devices_on_gpu);
  // Beforehand, ranks are taken to share what they see.
  std::size_t const gpus = device::usable_gpus().size();
  std::size_t const devices =
      static_cast<std::size_t>(request.devices_here) * static_cast<std::size_t>(job_place().ranks_on_machine);
  return (devices + gpus - 1) / gpus;
}

// Of one GPU: of all devices that share it.
MemoryPlan make_plan_of_gpu_parts(const EdgeFacts& facts, const PlanRequest& request)
{
  std::uint64_t const sharing = devices_sharing_a_gpu(request);
  auto const all = [&](std::uint64_t bytes) { return saturating_product(bytes, sharing); };
  DevicePartCounts counts;
  counts.vertices = request.vertices;
  counts.tuples = facts.edges / static_cast<std::uint64_t>(request.devices_here) + 1;
  counts.devices = request.devices_here * request.ranks;
  counts.directed = request.directed;
  counts.listed_twice = facts.listed_twice && !request.directed;
  counts.skewed = is_skewed(facts, request);
  std::uint64_t const own = counts.own_vertices();
  std::uint64_t const ends = saturating_product(facts.edges, 2 * static_cast<std::uint64_t>(request.ranks));
  counts.delegates = most_delegates_in_parts(request, own, ends);
  DevicePartBytes const build = predict_device_part_bytes(counts, static_cast<int>(sharing));
  std::uint64_t const search =
      predict_searching_bytes(counts, request, device::usable_gpus().size() > 1 || request.ranks > 1);

  MemoryPlan plan = begin_gpu_plan(facts, request);
  bool const generated = generates_on_gpu(facts);
  bool const kept = request.keep_tuples_on_gpu && generated;
  plan.tuples = kept        ? "kept on the GPU while building"
                : generated ? "generated on the GPU for each pass"
                            : "copied from the host for each pass";
  std::uint64_t const list = kept ? saturating_product(counts.tuples, 12) : 0;
  set_parts(plan, {.entries = all(build.entries),
                   .rows = all(build.rows),
                   .labels = saturating_sum({all(build.labels), label_table_bytes(request)}),
                   .building = all(saturating_sum({build.temporary, list})),
                   .search = all(search)});
  return plan;
}

}  // namespace brushfire
