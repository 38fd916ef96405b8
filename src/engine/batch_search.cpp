// A BatchSearch: batch after batch through the stepper of the device that has the graph.
#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/room.hpp"
#include "base/saturating.hpp"
#include "engine/gpu.hpp"
#include "engine/graph_data.hpp"
#include "traverse/cpu/batch_stepper.hpp"

#include <brushfire/batch_search.hpp>

#include <algorithm>
#include <utility>

namespace brushfire {

namespace {

void require_memory(const std::string& what, std::uint64_t needed)
{
  if (std::uint64_t const available = available_memory_bytes(); needed > available)
    fail(ErrorKind::memory, "{} takes {} of memory and {} are available; search fewer sources at a time", what,
         human_bytes(needed), human_bytes(available));
}

std::unique_ptr<BatchStepper> make_stepper(const GraphData& data, const BatchOptions& options)
{
  require_whole(data);
  BatchStepperOptions const stepper{options.levels, options.direction};
  if (choose_device(options.device) == Device::cuda) return make_gpu_batch_stepper(data, stepper);
  const Layout& layout = data.layout();
  require_memory("searching " + data.facts.name,
                 predict_cpu_batch_stepper_bytes(layout.vertices, layout.delegates, options.levels));
  return make_cpu_batch_stepper(layout, stepper, Team::of(options.threads));
}

}  // namespace

class BatchSearch::State {
 public:
  State(Graph searched, const BatchOptions& asked)
      : graph(std::move(searched)), options(asked), stepper(make_stepper(graph.data(), options))
  {
  }

  void make_room_for_levels(std::size_t sources)
  {
    std::uint64_t const wanted = saturating_product(sources, graph.facts().vertices);
    if (wanted > levels.size())
      require_memory("the matrix of levels", saturating_product(wanted - levels.size(), sizeof(std::int32_t)));
    make_room(levels, wanted, wanted);
  }

  // The results and levels of the sources from number `first` on.
  void search_batch(std::size_t first, std::span<const Vertex> sources, const LevelVisitor& visit)
  {
    FoundByBatch found;
    std::fill_n(found.vertices.begin(), sources.size(), 1);
    stepper->start(sources);
    for (std::int64_t level = 0; still_searching(found.vertices) != 0; ++level, found = stepper->step()) {
      auto const counts = std::span<const std::uint64_t>(found.vertices).first(sources.size());
      for (std::size_t i = 0; i < sources.size(); ++i) {
        results[first + i].reached += counts[i];
        if (counts[i] != 0) results[first + i].depth = level;
      }
      if (visit)
        visit({first, level, counts, options.found_bits ? stepper->found_bits() : std::span<const Word>(), found.pushed,
               found.pulled, found.checked});
    }
    std::uint64_t const vertices = graph.facts().vertices;
    if (options.levels) stepper->write_levels(levels.span().subspan(first * vertices, sources.size() * vertices));
  }

  Graph graph;
  BatchOptions options;
  std::unique_ptr<BatchStepper> stepper;
  std::vector<SourceResult> results;
  Buffer<std::int32_t> levels;
};

BatchSearch::BatchSearch(Graph graph, const BatchOptions& options)
    : state_(std::make_unique<State>(std::move(graph), options))
{
}
BatchSearch::BatchSearch(BatchSearch&&) noexcept = default;
BatchSearch& BatchSearch::operator=(BatchSearch&&) noexcept = default;
BatchSearch::~BatchSearch() = default;

BatchResult BatchSearch::run(std::span<const Label> sources, const LevelVisitor& visit)
{
  State& state = *state_;
  std::vector<Vertex> vertices;
  for (Label const source : sources)
    vertices.push_back(static_cast<Vertex>(require_vertex(state.graph, source, "source")));
  state.results.clear();
  for (Label const source : sources) state.results.push_back({source});
  if (state.options.levels) state.make_room_for_levels(sources.size());

  Stopwatch const watch;
  for (std::size_t first = 0; first < vertices.size(); first += sources_per_batch)
    state.search_batch(first, std::span(vertices).subspan(first, std::min(sources_per_batch, vertices.size() - first)),
                       visit);
  BatchResult result;
  result.sources = state.results;
  if (state.options.levels)
    result.levels = std::as_const(state.levels).span().first(sources.size() * state.graph.facts().vertices);
  result.seconds = watch.seconds();
  return result;
}

}  // namespace brushfire
