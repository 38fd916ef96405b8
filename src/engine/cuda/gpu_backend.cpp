// Searching on a GPU. Parents and levels stay there until somebody wants them on the host.
#include "base/clock.hpp"
#include "base/error.hpp"
#include "device/gpus.hpp"
#include "device/use_gpu.hpp"
#include "engine/cuda/gpu_graph.hpp"
#include "engine/cuda/tuples_in_tree.hpp"
#include "engine/gpu.hpp"
#include "exchange/one_device.hpp"
#include "traverse/cuda/cuda_stepper.hpp"
#include "validate/cuda/validate_on_device.hpp"

#include <algorithm>
#include <atomic>

namespace brushfire {

namespace {

std::atomic<std::uint64_t> bytes_while_searching{0};

class GpuBackend final : public Backend {
 public:
  GpuBackend(const GraphData& graph, const SearchOptions& options)
      : graph_(graph), on_gpu_(graph.on_gpu()), options_(options), stepper_(make_stepper())
  {
  }

  void search(std::uint64_t root, const Limits& limits, Trace& trace) override
  {
    device::UseGpu const gpu;
    run_levels(*stepper_, alone_, root, limits, trace);
  }

  FoundTree take_tree(Trace&) override
  {
    device::UseGpu const gpu;
    tree_ = stepper_->tree();
    note_bytes_while_searching();
    FoundTree found;
    found.reached = tree_.reached;
    found.depth = tree_.depth;
    found.parent_bits = tree_.parents.wide != nullptr ? 64 : 32;
    found.nedge = tuples_in_tree(on_gpu_.layout, tree_.parents, stream_);
    if (options_.results_on_host) copy_results(found);
    return found;
  }

  Verdict validate(Label root, const TreeRules& rules, Progress& progress) override
  {
    device::UseGpu const gpu;
    progress.begin("validating", 0, "");
    if (tuples_ == nullptr) tuples_ = on_gpu_.tuples != nullptr ? on_gpu_.tuples : feed();
    Verdict const verdict = validate_on_device(*tuples_, *graph_.source, graph_.labels, on_gpu_.labels(), root,
                                               tree_.parents, rules, stream_);
    progress.end();
    return verdict;
  }

 private:
  std::unique_ptr<CudaStepper> make_stepper() const
  {
    const DeviceLayout& layout = on_gpu_.layout;
    CudaStepperOptions stepper;
    stepper.direction = options_.direction;
    stepper.deterministic = options_.deterministic;
    stepper.levels = options_.levels;
    stepper.wide_parents = needs_wide_parents(graph_, options_);
    bool const adaptive = options_.preset == Preset::adaptive;
    if (adaptive && layout.delegates != 0) fail_over_delegates(graph_);
    PlanRequest request;
    request.preset = options_.preset;
    request.vertices = layout.vertices;
    request.directed = layout.directed;
    request.wide_parents = stepper.wide_parents;
    request.levels = stepper.levels || stepper.deterministic;
    std::uint64_t needed = predict_search_bytes(request, layout.delegates, layout.all_entries());
    if (!adaptive && on_gpu_.has_index())
      needed -= cuda::SearchIndex::predict_bytes(layout.vertices, layout.delegates);  // an earlier search has made it
    require_gpu_bytes("searching " + graph_.facts.name, needed);
    if (!adaptive) return make_cuda_stepper(layout, on_gpu_.index(), on_gpu_.labels(), stepper, stream_);
    return make_adaptive_stepper(layout, on_gpu_.labels(), stepper, adaptive_options(options_), stream_);
  }

  // Validation reads the tuples once per search: worth keeping them where there is room.
  std::shared_ptr<const DeviceEdges> feed() const
  {
    if (auto there = read_on_device(*graph_.source, graph_.labels)) return there;
    std::uint64_t const pairs = graph_.source->facts().edges * sizeof(VertexPair);
    std::uint64_t const besides = predict_device_validation_bytes(graph_.labels.size());
    return feed_from_host(*graph_.source, graph_.labels, Team::of(options_.threads),
                          pairs + besides < device::free_gpu_bytes(), stream_);
  }

  void copy_results(FoundTree& found)
  {
    Stopwatch const watch;
    std::uint64_t const n = tree_.parents.size;
    if (tree_.parents.wide != nullptr) {
      if (wide_.size() != n) wide_ = device::PinnedBuffer<std::int64_t>(n);
      device::copy_to_host(wide_.data(), tree_.parents.wide, n * sizeof(std::int64_t), stream_);
      found.parents = ParentsView(wide_.data(), n);
    } else {
      if (narrow_.size() != n) narrow_ = device::PinnedBuffer<std::int32_t>(n);
      device::copy_to_host(narrow_.data(), tree_.parents.narrow, n * sizeof(std::int32_t), stream_);
      found.parents = ParentsView(narrow_.data(), n);
    }
    if (tree_.levels != nullptr) {
      if (levels_.size() != n) levels_ = device::PinnedBuffer<std::int32_t>(n);
      device::copy_to_host(levels_.data(), tree_.levels, n * sizeof(std::int32_t), stream_);
      found.levels = levels_.span();
    }
    stream_.wait();
    found.seconds_to_host = watch.seconds();
  }

  const GraphData& graph_;
  const GpuGraph& on_gpu_;
  SearchOptions options_;
  device::Stream stream_;
  std::unique_ptr<CudaStepper> stepper_;
  OneDevice alone_;
  std::shared_ptr<const DeviceEdges> tuples_;  // for validation
  DeviceTree tree_;
  device::PinnedBuffer<std::int64_t> wide_;  // results on the host, where they are wanted
  device::PinnedBuffer<std::int32_t> narrow_;
  device::PinnedBuffer<std::int32_t> levels_;
};

}  // namespace

std::unique_ptr<Backend> make_gpu_backend(const GraphData& graph, const SearchOptions& options)
{
  device::UseGpu const gpu;
  return std::make_unique<GpuBackend>(graph, options);
}

void note_bytes_while_searching()
{
  bytes_while_searching = std::max(bytes_while_searching.load(), device::allocated_bytes());
}

std::uint64_t gpu_bytes_while_searching() { return bytes_while_searching.load(); }

}  // namespace brushfire
