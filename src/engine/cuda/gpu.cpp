// Building a graph on a GPU, and moving one to or from it.
#include "engine/gpu.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/saturating.hpp"
#include "build/cuda/device_builder.hpp"
#include "build/cuda/empty_rows.hpp"
#include "device/gpus.hpp"
#include "device/use_gpu.hpp"
#include "engine/cuda/gpu_graph.hpp"
#include "input/kronecker.hpp"
#include "traverse/cuda/batch_stepper.hpp"
#include "traverse/cuda/cuda_stepper.hpp"
#include "validate/cuda/validate_on_device.hpp"

#include <brushfire/units.hpp>

#include <algorithm>

namespace brushfire {

namespace {

DeviceBuildOptions build_options(const EdgeFacts& facts, bool directed, std::optional<std::uint64_t> threshold)
{
  return {directed, facts.listed_twice && !directed, threshold};
}

// Tuples on the device: generated or read there where that is possible, else fed from the host and kept as pairs where
// there is room for them beside the graph.
std::shared_ptr<const DeviceEdges> tuples_on_device(const EdgeSource& source, const Labels& labels,
                                                    const GpuBuildOptions& options, Team team,
                                                    const device::Stream& stream)
{
  if (auto const* const generator = dynamic_cast<const KroneckerEdges*>(&source)) {
    auto generated = generate_on_device(*generator);
    return options.store_tuples ? store_on_device(*generated, stream) : generated;
  }
  if (auto there = read_on_device(source, labels)) return there;
  DeviceBuildOptions const build = build_options(source.facts(), options.directed, options.threshold);
  DeviceBuildBytes const bytes = predict_device_build_bytes(labels.size(), source.facts().edges, build);
  std::uint64_t const pairs = saturating_product(source.facts().edges, sizeof(VertexPair));
  std::uint64_t const all = saturating_sum({pairs, bytes.entries, bytes.rows, bytes.degrees, bytes.temporary});
  return feed_from_host(source, labels, team, all <= device::free_gpu_bytes(), stream);
}

}  // namespace

void GpuGraph::take_labels(const Labels& labels, const device::Stream& stream)
{
  first_label = labels.first();
  if (!labels.consecutive()) label_table = device::make_buffer(labels.table(), stream);
}

const cuda::SearchIndex& GpuGraph::index() const
{
  std::lock_guard const lock(index_guard_);
  if (index_ == nullptr) {
    device::Stream const stream;
    index_ = std::make_unique<cuda::SearchIndex>(layout, stream);
  }
  return *index_;
}

bool GpuGraph::has_index() const
{
  std::lock_guard const lock(index_guard_);
  return index_ != nullptr;
}

GpuBuilt build_on_gpu(const EdgeSource& source, const Labels& labels, const GpuBuildOptions& options, Team team,
                      Progress& progress)
{
  device::UseGpu const gpu;
  device::Stream const stream;
  auto graph = std::make_shared<GpuGraph>();
  Stopwatch const generation;
  bool const generated = dynamic_cast<const KroneckerEdges*>(&source) != nullptr;
  if (generated && options.store_tuples) progress.begin("generating", 0, "");
  auto const tuples = tuples_on_device(source, labels, options, team, stream);
  stream.wait();
  if (generated && options.store_tuples) progress.end();
  double const generation_seconds = generation.seconds();

  Stopwatch const construction;
  DeviceBuildOptions const build = build_options(source.facts(), options.directed, options.threshold);
  DeviceBuilt built = build_on_device(*tuples, labels.size(), build, stream, progress);
  graph->layout = std::move(built.layout);
  graph->take_labels(labels, stream);
  stream.wait();
  // Pairs fed from the host are read again for validation only; the graph does not have to live with them.
  if (generated) graph->tuples = tuples;
  return {graph, built.self_loops, generation_seconds, construction.seconds()};
}

std::shared_ptr<const GpuGraph> copy_to_gpu(const Layout& layout, const Labels& labels)
{
  device::UseGpu const gpu;
  std::uint64_t const needed = saturating_sum({layout.bytes(), labels.table().size_bytes()});
  require_gpu_bytes("the graph", needed);
  device::Stream const stream;
  auto graph = std::make_shared<GpuGraph>();
  graph->layout = copy_to_device(layout, stream);
  graph->take_labels(labels, stream);
  return graph;
}

Layout copy_to_host(const GpuGraph& graph)
{
  device::UseGpu const gpu;
  device::Stream const stream;
  return copy_to_host(graph.layout, stream);
}

LayoutFacts facts_of(const GpuGraph& graph)
{
  const DeviceLayout& layout = graph.layout;
  return {layout.vertices, layout.delegates, layout.threshold, layout.directed, layout.entries, layout.bytes()};
}

std::uint32_t input_degree(const GpuGraph& graph, Vertex vertex)
{
  device::UseGpu const gpu;
  device::Stream const stream;
  if (graph.layout.row_words.size() == 0) return device::value_at(graph.layout.input_degrees, vertex, stream);
  const cuda::SearchIndex& index = graph.index();
  return index.has_row(vertex) ? device::value_at(graph.layout.input_degrees, index.row_of(vertex), stream) : 0;
}

std::vector<std::uint32_t> input_degrees(const GpuGraph& graph)
{
  device::UseGpu const gpu;
  device::Stream const stream;
  const DeviceLayout& layout = graph.layout;
  auto degrees = device::to_vector(layout.input_degrees, layout.input_degrees.size(), stream);
  if (layout.row_words.size() == 0) return degrees;
  RowNumbers const rows(layout.delegates, device::to_vector(layout.row_words, layout.row_words.size(), stream));
  return rows.by_vertex(degrees, device::to_vector(layout.delegate_vertices, layout.delegates, stream),
                        layout.vertices);
}

std::uint64_t predict_search_bytes(const PlanRequest& request, std::uint64_t delegates, std::uint64_t entries)
{
  if (request.application) {
    constexpr bool keeps_levels = false;
    std::uint64_t const batch = predict_cuda_batch_stepper_bytes(request.vertices, delegates, keeps_levels);
    if (request.application == Application::closeness) return batch;
    return saturating_sum(
        {batch, predict_cuda_stepper_bytes(request.vertices, delegates, entries, request.wide_parents, true)});
  }
  if (request.preset == Preset::adaptive)
    return predict_adaptive_stepper_bytes(request.vertices, entries, request.directed, request.wide_parents,
                                          request.levels);
  return predict_cuda_stepper_bytes(request.vertices, delegates, entries, request.wide_parents, request.levels);
}

void require_gpu_bytes(const std::string& what, std::uint64_t needed)
{
  if (std::uint64_t const free = device::free_gpu_bytes(); needed > free)
    fail(ErrorKind::memory, "{} takes up to {} of GPU memory and {} are free; use --device cpu", what,
         human_bytes(needed), human_bytes(free));
}

MemoryPlan begin_gpu_plan(const EdgeFacts& facts, const PlanRequest& request)
{
  MemoryPlan plan;
  plan.graph = facts.name;
  plan.memory = "GPU memory";
  plan.vertices = request.vertices;
  plan.edges = facts.edges;
  plan.ranks = request.ranks;
  plan.devices = request.devices_here;
  plan.available_bytes = device::free_gpu_bytes();
  return plan;
}

std::uint64_t label_table_bytes(const PlanRequest& request)
{
  return request.sparse_labels ? saturating_product(request.vertices, sizeof(Label)) : 0;
}

bool generates_on_gpu(const EdgeFacts& facts) { return facts.name.starts_with("kron:"); }

MemoryPlan make_gpu_plan(const EdgeFacts& facts, const PlanRequest& request)
{
  device::UseGpu const gpu;
  if (cuts_into_blocks(request.preset)) return make_plan_of_gpu_blocks(facts, request);
  if (request.devices_here * request.ranks > 1) return make_plan_of_gpu_parts(facts, request);
  DeviceBuildOptions const options = build_options(facts, request.directed, request.threshold);
  DeviceBuildBytes const build = predict_device_build_bytes(request.vertices, facts.edges, options);
  std::uint64_t const delegates = most_delegates_on_device(request.vertices, request.threshold);
  std::uint64_t const entries = build.entries / sizeof(Vertex) / (request.directed ? 2 : 1);
  std::uint64_t const search = predict_search_bytes(request, delegates, entries);
  std::uint64_t const validation = request.application ? 0 : predict_device_validation_bytes(request.vertices);
  std::uint64_t const block = std::uint64_t{256} << 20;  // of tuples on their way
  std::uint64_t const tuples =
      saturating_sum({request.keep_tuples_on_gpu ? saturating_product(facts.edges, 12) : 0, block});

  MemoryPlan plan = begin_gpu_plan(facts, request);
  plan.tuples = request.keep_tuples_on_gpu ? "kept on the GPU"
                : generates_on_gpu(facts)  ? "generated on the GPU for each pass"
                                           : "copied from the host";
  set_parts(plan, {.searching = searching_of(request),
                   .tuples = tuples,
                   .entries = build.entries,
                   .rows = build.rows,
                   .degrees = build.degrees,
                   .labels = label_table_bytes(request),
                   .building = build.temporary,
                   .search = search,
                   .validation = validation});
  return plan;
}

MemoryPlan make_gpu_plan_of_stored(const GraphFacts& facts, const PlanRequest& request)
{
  device::UseGpu const gpu;
  std::uint64_t const entries = facts.edges_stored;
  MemoryPlan plan;
  plan.graph = facts.name;
  plan.memory = "GPU memory";
  plan.vertices = facts.vertices;
  plan.edges = facts.edges_input;
  plan.tuples = "none: a built graph is copied";
  plan.items = {
      {"graph, copied from the file", facts.bytes},
      {searching_of(request), predict_search_bytes(request, facts.delegates, entries)},
      {"validation: levels, marks", request.application ? 0 : predict_device_validation_bytes(facts.vertices)}};
  for (auto const& item : plan.items) plan.peak_bytes = saturating_sum({plan.peak_bytes, item.bytes});
  plan.available_bytes = device::free_gpu_bytes();
  return plan;
}

}  // namespace brushfire
