// A Search: the stepper and the exchange that fit the graph, run through the level loop, timed.
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"
#include "engine/graph_data.hpp"
#include "exchange/one_device.hpp"
#include "input/vertex_values.hpp"
#include "traverse/cpu/cpu_stepper.hpp"
#include "validate/validate.hpp"

#include <brushfire/search.hpp>

#include <algorithm>
#include <atomic>
#include <limits>
#include <random>
#include <unordered_set>
#include <utility>

namespace brushfire {

std::uint64_t tuples_in_tree(const Layout& layout, ParentsView parents, Team team)
{
  std::atomic<std::uint64_t> sum{0};
  team.for_blocks(layout.vertices, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t part = 0;
    for (std::uint64_t v = first; v < last; ++v)
      if (parents[v] != no_label) part += layout.input_degrees[v];
    sum.fetch_add(part, std::memory_order_relaxed);
  });
  return layout.directed ? sum.load() : sum.load() / 2;
}

class Search::State {
 public:
  State(Graph searched, const SearchOptions& options)
      : graph(std::move(searched)), team(Team::of(options.threads)), stepper(make_stepper(graph, options, team))
  {
  }

  static std::unique_ptr<CpuStepper> make_stepper(const Graph& graph, const SearchOptions& options, Team team)
  {
    const GraphData& data = graph.data();
    require_room(data, options);
    CpuStepperOptions stepper;
    stepper.policy.forced = options.direction;
    stepper.deterministic = options.deterministic;
    stepper.levels = options.levels;
    stepper.wide_parents = needs_wide_parents(data, options);
    return make_cpu_stepper(data.layout, data.labels.view(), stepper, team);
  }

  static bool needs_wide_parents(const GraphData& data, const SearchOptions& options)
  {
    return options.wide_parents || data.labels.largest() > std::numeric_limits<std::int32_t>::max();
  }

  static void require_room(const GraphData& data, const SearchOptions& options)
  {
    std::uint64_t const needed =
        predict_cpu_stepper_bytes(data.layout.vertices, data.layout.delegates, needs_wide_parents(data, options),
                                  options.levels || options.deterministic);
    if (std::uint64_t const available = available_memory_bytes(); needed > available)
      fail(ErrorKind::memory, "searching {} takes up to {} of memory and {} are available; choose a larger machine",
           data.facts.name, human_bytes(needed), human_bytes(available));
  }

  Graph graph;
  Team team;
  std::unique_ptr<CpuStepper> stepper;
  OneDevice exchange;
  Trace trace;
  SearchResult result;
  SearchLimits limits;
};

Search::Search(Graph graph, const SearchOptions& options) : state_(std::make_unique<State>(std::move(graph), options))
{
}
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;
Search::~Search() = default;

namespace {

Vertex require_vertex(const Graph& graph, Label label, const char* role)
{
  auto const vertex = graph.find(label);
  if (!vertex) fail(ErrorKind::usage, "{} {} is not in {}", role, label, graph.facts().name);
  return *vertex;
}

}  // namespace

SearchResult Search::run(Label root, const SearchLimits& limits)
{
  State& state = *state_;
  Vertex const start = require_vertex(state.graph, root, "source");
  Limits inner;
  inner.max_depth = limits.max_depth;
  if (limits.target) inner.target = require_vertex(state.graph, *limits.target, "target");

  Stopwatch const watch;
  run_levels(*state.stepper, state.exchange, start, inner, state.trace);
  double const seconds = watch.seconds();

  CpuResult const found = state.stepper->result();
  SearchResult& result = state.result;
  result.root = root;
  result.seconds = seconds;
  result.reached = found.reached;
  result.depth = found.depth;
  result.parents = found.parents;
  result.levels = found.levels;
  result.trace = &state.trace;
  result.nedge = tuples_in_tree(state.graph.data().layout, found.parents, state.team);
  state.limits = limits;
  return result;
}

std::vector<Label> Search::path_to(Label target) const
{
  const State& state = *state_;
  std::vector<Label> path;
  require_vertex(state.graph, target, "target");
  for (Label at = target; at != state.result.root;) {
    path.push_back(at);
    auto const vertex = state.graph.find(at);
    Label const parent = vertex ? state.result.parents[*vertex] : no_label;
    if (parent == no_label && at == target) return {};
    // Only a search over an altered .bfg file can leave a tree that ends early or turns in a circle.
    if (parent == no_label || path.size() > state.result.reached)
      fail(ErrorKind::input, "{}: the tree does not lead from {} to its root; the file is damaged",
           state.graph.facts().name, target);
    at = parent;
  }
  path.push_back(state.result.root);
  std::reverse(path.begin(), path.end());
  return path;
}

Verdict Search::validate(Progress& progress) const
{
  const GraphData& data = state_->graph.data();
  TreeRules const rules{data.layout.directed, state_->limits.max_depth};
  return validate_tree(*data.source, data.labels, state_->result.root, state_->result.parents, rules, state_->team,
                       progress);
}

void require_result_file(const Graph& graph, const std::filesystem::path& file)
{
  require_vertex_values_fit(file, graph.data().labels);
}

void write_result(const Graph& graph, const SearchResult& result, VertexValue value, const std::filesystem::path& file)
{
  const GraphData& data = graph.data();
  write_vertex_values(
      file, data.labels,
      [&](Vertex v) { return value == VertexValue::parents ? result.parents[v] : Label{result.levels[v]}; },
      Team::of(data.threads));
}

std::vector<Label> random_sources(const Graph& graph, std::size_t count, std::uint64_t seed)
{
  const GraphData& data = graph.data();
  std::mt19937_64 random(seed);
  std::vector<Label> sources;
  if (data.layout.vertices == 0) return sources;
  std::unordered_set<Vertex> taken;
  auto const take = [&](Vertex v) {
    if (data.layout.input_degrees[v] > 0 && taken.insert(v).second) sources.push_back(graph.label(v));
  };
  // Drawing is enough unless nearly all vertices are isolated or wanted; then go through all of them.
  for (std::size_t draws = 0; draws < 64 * count && sources.size() < count; ++draws)
    take(static_cast<Vertex>(random() % data.layout.vertices));
  Vertex const start = static_cast<Vertex>(random() % data.layout.vertices);
  for (Vertex i = 0; i < data.layout.vertices && sources.size() < count; ++i)
    take(static_cast<Vertex>((std::uint64_t{start} + i) % data.layout.vertices));
  return sources;
}

}  // namespace brushfire
