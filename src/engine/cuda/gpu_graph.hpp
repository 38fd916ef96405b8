// A graph in the memory of a GPU, as the engine holds it: immutable, shared by all searches over it.
#pragma once

#include "build/cuda/device_layout.hpp"
#include "device/buffer.hpp"
#include "device/parents.hpp"
#include "device/stream.hpp"
#include "engine/plan.hpp"
#include "input/cuda/device_edges.hpp"
#include "input/labels.hpp"
#include "traverse/cuda/search_index.hpp"

#include <brushfire/types.hpp>

#include <memory>
#include <mutex>
#include <string>

namespace brushfire {

class GpuGraph {
 public:
  DeviceLayout layout;
  device::Buffer<Label> label_table;  // empty when labels are consecutive
  Label first_label = 0;
  std::shared_ptr<const DeviceEdges> tuples;  // null: the host has them, see GraphData::source

  device::LabelsOnDevice labels() const
  {
    return {label_table.size() != 0 ? label_table.data() : nullptr, first_label};
  }
  void take_labels(const Labels& labels, const device::Stream& stream);
  const cuda::SearchIndex& index() const;  // made when first asked for
  bool has_index() const;

 private:
  mutable std::mutex index_guard_;
  mutable std::unique_ptr<const cuda::SearchIndex> index_;
};

void note_bytes_while_searching();  // for gpu_bytes_while_searching(): somebody searches now

// Throws Error(memory) unless the current GPU has so much for `what`.
void require_gpu_bytes(const std::string& what, std::uint64_t needed);

// What searching takes besides the graph. Of the request: its preset, vertices, directed, wide_parents, levels.
std::uint64_t predict_search_bytes(const PlanRequest& request, std::uint64_t delegates, std::uint64_t entries);

// What all plans for a GPU begin with: the graph, the devices, the memory there is.
MemoryPlan begin_gpu_plan(const EdgeFacts& facts, const PlanRequest& request);
std::uint64_t label_table_bytes(const PlanRequest& request);
bool generates_on_gpu(const EdgeFacts& facts);

// Of a graph in parts, for the GPU that several devices share.
std::uint64_t devices_sharing_a_gpu(const PlanRequest& request);
MemoryPlan make_plan_of_gpu_parts(const EdgeFacts& facts, const PlanRequest& request);
MemoryPlan make_plan_of_gpu_blocks(const EdgeFacts& facts, const PlanRequest& request);

}  // namespace brushfire
