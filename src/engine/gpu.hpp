// What the engine asks of a GPU. Names no CUDA type; a build without CUDA has without_cuda.cpp behind it, where no GPU
// is ever usable.
#pragma once

#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "build/part_builder.hpp"
#include "engine/backend.hpp"
#include "engine/plan.hpp"
#include "exchange/exchange.hpp"
#include "exchange/job_wire.hpp"
#include "exchange/memory.hpp"
#include "input/dealt_labels.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"
#include "input/tuple_share.hpp"
#include "traverse/batch_stepper.hpp"

#include <brushfire/progress.hpp>
#include <brushfire/search.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace brushfire {

class GpuGraph;  // a graph in the memory of a GPU
class GpuParts;  // the parts of one in the memory of one or several
class PartedGraph;

struct GpuBuildOptions {
  bool directed = false;
  std::optional<std::uint64_t> threshold;
  bool store_tuples = false;  // generated tuples are kept, as a conforming Graph500 run asks
};

struct GpuBuilt {
  std::shared_ptr<const GpuGraph> graph;
  std::uint64_t self_loops = 0;  // tuples
  double generation_seconds = 0;
  double construction_seconds = 0;
};

// Throws Error(memory) when it does not fit.
GpuBuilt build_on_gpu(const EdgeSource& source, const Labels& labels, const GpuBuildOptions& options, Team team,
                      Progress& progress);
std::shared_ptr<const GpuGraph> copy_to_gpu(const Layout& layout, const Labels& labels);
Layout copy_to_host(const GpuGraph& graph);

LayoutFacts facts_of(const GpuGraph& graph);
std::uint32_t input_degree(const GpuGraph& graph, Vertex vertex);
std::vector<std::uint32_t> input_degrees(const GpuGraph& graph);  // of all vertices

std::unique_ptr<Backend> make_gpu_backend(const GraphData& graph, const SearchOptions& options);
std::unique_ptr<BatchStepper> make_gpu_batch_stepper(const GraphData& graph, const BatchStepperOptions& options);

// Each part goes to the next of the GPUs that are usable, and round again; throws Error(memory) when it does not fit.
std::shared_ptr<const GpuParts> copy_to_gpus(const PartedGraph& graph);

// Or it is built there. The devices of all ranks build together, each on a thread of its own.
std::shared_ptr<GpuParts> begin_gpu_parts(int devices_here);
int devices_on_a_gpu(int devices_here);  // of all ranks, on the GPU that has most; all ranks ask together
struct GpuBuiltPart {
  BuiltPart built;  // its part has everything but rows
  double generation_seconds = 0;
};
GpuBuiltPart build_on_gpu(GpuParts& parts, int index, const TupleShare& tuples, const DealtLabels& labels,
                          const GpuBuildOptions& options, Exchange& exchange, Team team, Progress& progress);
// When labels are settled. `part` stays where it is as long as anybody searches.
void finish_on_gpu(GpuParts& parts, int index, const Part& part, const DealtLabels& labels);
void copy_rows_to_host(const GpuParts& parts, int index, Part& part);  // which has everything but rows
struct RowLengths {
  std::vector<std::uint32_t> of_delegates;  // here
  std::vector<std::uint32_t> of_vertices;
};
RowLengths row_lengths(const GpuParts& parts, int index);

struct GpuPartOptions {
  bool wide_parents = false;
  int senders = 0;  // as of a CPU: what arrives from device k may come from any k' = k modulo this
};
std::unique_ptr<TreeStepper> make_gpu_part_stepper(const GpuParts& parts, int index, const SearchOptions& options,
                                                   const GpuPartOptions& more);
std::unique_ptr<TreeStepper> make_gpu_block_stepper(const PartedGraph& graph, const GpuParts& parts, int index,
                                                    const SearchOptions& options, const GpuPartOptions& more);

// Where the devices of the process keep what they post.
std::unique_ptr<Memory> memory_of(const GpuParts& parts);
// What joins them to those of other ranks; nothing where there are none.
std::unique_ptr<Wire> make_wire(const GpuParts& parts, const WireOptions& options);
std::string transport_of_gpus();  // that was chosen for the last of them; empty when there was none

MemoryPlan make_gpu_plan(const EdgeFacts& facts, const PlanRequest& request);
MemoryPlan make_gpu_plan_of_stored(const GraphFacts& facts, const PlanRequest& request);  // of a .bfg file

std::uint64_t gpu_bytes_while_searching();  // held by this process, tuples included

}  // namespace brushfire
