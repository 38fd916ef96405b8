// A BatchSearch: batch after batch through the stepper of the device that has the graph.
#include "base/buffer.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/room.hpp"
#include "base/saturating.hpp"
#include "device/range.hpp"
#include "engine/gpu.hpp"
#include "engine/graph_data.hpp"
#include "traverse/cpu/batch_stepper.hpp"

#include <brushfire/batch_search.hpp>
#include <brushfire/units.hpp>

#include <algorithm>
#include <utility>

namespace brushfire {

namespace {

void require_memory(const std::string& what, std::uint64_t needed, int threads_to_start = 0)
{
  if (std::uint64_t const available = available_memory_bytes(1, threads_to_start); needed > available)
    fail(ErrorKind::memory, "{} takes {} of memory and {} are available; search fewer sources at a time", what,
         human_bytes(needed), human_bytes(available));
}

std::unique_ptr<BatchStepper> make_stepper(const GraphData& data, const BatchOptions& options)
{
  require_whole(data);
  BatchStepperOptions const stepper{options.levels, options.direction};
  if (choose_device(options.device) == Device::cuda) return make_gpu_batch_stepper(data, stepper);
  const Layout& layout = data.layout();
  Team const team = Team::of(options.threads);
  require_memory("searching " + data.facts.name,
                 predict_cpu_batch_stepper_bytes(layout.vertices, layout.delegates, options.levels, team),
                 workers::to_hire(1, team.threads));
  return make_cpu_batch_stepper(layout, stepper, team);
}

}  // namespace

class BatchSearch::State {
 public:
  State(Graph searched, const BatchOptions& asked)
      : graph(std::move(searched)), options(asked), stepper(make_stepper(graph.data(), options))
  {
  }

  void require_room_for_rows(std::size_t sources) const
  {
    std::uint64_t const wanted = saturating_product(sources, graph.facts().vertices);
    if (wanted > levels.size())
      require_memory("the matrix of levels", saturating_product(wanted - levels.size(), sizeof(std::int32_t)));
  }

  void make_room_for_levels(std::size_t sources)
  {
    require_room_for_rows(sources);
    std::uint64_t const wanted = saturating_product(sources, graph.facts().vertices);
    make_room(levels, wanted, wanted);
  }

  BatchResult run(std::span<const Label> sources, std::span<std::int32_t> rows, const LevelVisitor& visit)
  {
    std::vector<Vertex> found;
    for (Label const source : sources) found.push_back(static_cast<Vertex>(require_vertex(graph, source, "source")));
    results.clear();
    for (Label const source : sources) results.push_back({source});

    Stopwatch const watch;
    std::size_t const row = options.levels ? graph.facts().vertices : 0;
    for (std::size_t first = 0; first < found.size(); first += sources_per_batch) {
      auto const batch = std::span(found).subspan(first, std::min(sources_per_batch, found.size() - first));
      search_batch(first, batch, rows.subspan(first * row, batch.size() * row), visit);
    }
    return {results, rows, watch.seconds()};
  }

  // The results of the sources from number `first` on, and their levels, where they are asked for.
  void search_batch(std::size_t first, std::span<const Vertex> sources, std::span<std::int32_t> rows,
                    const LevelVisitor& visit)
  {
    device::Range const range("batch");
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
    if (options.levels) stepper->write_levels(rows);
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
  if (!state.options.levels) return state.run(sources, {}, visit);
  state.make_room_for_levels(sources.size());
  return state.run(sources, state.levels.span().first(sources.size() * state.graph.facts().vertices), visit);
}

void BatchSearch::require_room_for_rows(std::size_t sources) const { state_->require_room_for_rows(sources); }

BatchResult BatchSearch::run_into(std::span<std::int32_t> rows, std::span<const Label> sources,
                                  const LevelVisitor& visit)
{
  State& state = *state_;
  if (!state.options.levels) fail(ErrorKind::usage, "rows for levels were given, and the options ask for none");
  std::uint64_t const needed = saturating_product(sources.size(), state.graph.facts().vertices);
  if (rows.size() != needed)
    fail(ErrorKind::usage, "the rows have {} levels, and {} sources in {} vertices need {}", rows.size(),
         sources.size(), state.graph.facts().vertices, needed);
  return state.run(sources, rows, visit);
}

}  // namespace brushfire
