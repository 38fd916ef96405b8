// A Search: the backend and the exchange that fit the graph, run through the level loop, timed.
#include "base/clock.hpp"
#include "base/error.hpp"
#include "device/range.hpp"
#include "engine/backend.hpp"
#include "engine/gpu.hpp"
#include "engine/graph_data.hpp"
#include "engine/parted_graph.hpp"
#include "engine/preset.hpp"
#include "exchange/job_wire.hpp"
#include "input/vertex_values.hpp"

#include <brushfire/search.hpp>

#include <algorithm>
#include <random>
#include <unordered_set>
#include <utility>

namespace brushfire {

class Search::State {
 public:
  State(Graph searched, const SearchOptions& options)
      : graph(std::move(searched)), backend(make_backend(graph.data(), options))
  {
  }

  static std::unique_ptr<Backend> make_backend(const GraphData& data, const SearchOptions& options)
  {
    (void)Team::of(options.threads);  // also where a GPU searches
    if (options.fanout < 1)
      fail(ErrorKind::usage, "fan-out: {} receivers hear nothing; 1 is the least", options.fanout);
    if (options.preset != data.facts.preset && options.preset != Preset::automatic &&
        (cuts_into_blocks(options.preset) || cuts_into_blocks(data.facts.preset)))
      fail(ErrorKind::usage, "{} was built for the preset {}, and {} cannot search it; build it for that one",
           data.facts.name, name_of(data.facts.preset), name_of(options.preset));
    if (data.is_in_parts() && (options.queue || options.balance || options.async_pull))
      fail(ErrorKind::usage,
           "how queues are made and pulls shared out can be chosen on one device; leave it open on several");
    if (data.is_in_parts()) return make_parts_backend(data, options);
    if (choose_device(options.device) == Device::cuda) return make_gpu_backend(data, options);
    return make_cpu_backend(data, options);
  }

  Graph graph;
  std::unique_ptr<Backend> backend;
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

std::uint64_t require_vertex(const Graph& graph, Label label, const char* role)
{
  auto const vertex = graph.data().find(label);
  if (!vertex) fail(ErrorKind::usage, "{} {} is not in {}", role, label, graph.facts().name);
  return *vertex;
}

SearchResult Search::run(Label root, const SearchLimits& limits)
{
  State& state = *state_;
  std::uint64_t const start = require_vertex(state.graph, root, "source");
  if (limits.max_depth && *limits.max_depth < 0)
    fail(ErrorKind::usage, "a depth limit of {} leaves no level to search", *limits.max_depth);
  Limits inner;
  inner.max_depth = limits.max_depth;
  if (limits.target) inner.target = require_vertex(state.graph, *limits.target, "target");

  device::Range const range("search");
  state.result = {};  // a search that fails leaves nothing
  Stopwatch const watch;
  state.backend->search(start, inner, state.trace);
  double const seconds = watch.seconds();

  FoundTree const found = state.backend->take_tree(state.trace);
  SearchResult& result = state.result;
  result.root = root;
  result.started = watch.started();
  result.seconds = seconds;
  result.reached = found.reached;
  result.depth = found.depth;
  result.parents = found.parents;
  result.levels = found.levels;
  result.nedge = found.nedge;
  result.parent_bits = found.parent_bits;
  result.seconds_to_host = found.seconds_to_host;
  result.trace = &state.trace;
  state.limits = limits;
  return result;
}

namespace {

void require_run(const SearchResult& last)
{
  if (last.root == no_label) fail(ErrorKind::usage, "nothing has been searched yet; call run() first");
}

}  // namespace

bool Search::has_result() const { return state_->result.root != no_label; }

std::vector<Label> Search::path_to(Label target) const
{
  const State& state = *state_;
  std::vector<Label> path;
  require_run(state.result);
  std::uint64_t const last = require_vertex(state.graph, target, "target");
  if (state.graph.data().is_in_parts()) return state.backend->path_to(last);
  if (state.result.parents.size() == 0)
    fail(ErrorKind::usage, "a path needs the parents, which are still on the GPU; leave results_on_host on");
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
  require_run(state_->result);
  TreeRules const rules{state_->graph.facts().directed, state_->limits.max_depth};
  device::Range const range("validation");
  return state_->backend->validate(state_->result.root, rules, progress);
}

namespace {

// Of all vertices in one place: where a graph is spread over ranks, on the first.
Labels labels_for_writing(const GraphData& data)
{
  if (!data.is_in_parts() || data.labels.size() != 0) return data.labels;
  if (data.in_parts().renumbered()) return labels_in_order(data.in_parts());
  return Labels::of_range({data.label_at(0), data.in_parts().vertices()});
}

}  // namespace

void require_result_file(const Graph& graph, const std::filesystem::path& file)
{
  Labels const labels = labels_for_writing(graph.data());
  if (labels.size() == graph.facts().vertices) require_vertex_values_fit(file, labels);
}

void write_result(const Graph& graph, const SearchResult& result, VertexValue value, const std::filesystem::path& file)
{
  const GraphData& data = graph.data();
  require_run(result);
  Labels const labels = labels_for_writing(data);                   // by all ranks together
  if (result.parents.size() == 0 && job_place().rank != 0) return;  // the first rank has them
  if (value == VertexValue::levels && result.levels.size() != result.parents.size())
    fail(ErrorKind::usage, "levels were not kept; make the search with the option `levels`");
  if (result.parents.size() != labels.size())
    fail(ErrorKind::usage, "{}: a result of {} vertices is not one of a graph with {}, or was left on the GPU",
         data.facts.name, result.parents.size(), labels.size());
  write_vertex_values(
      file, labels,
      [&](Vertex v) { return value == VertexValue::parents ? result.parents[v] : Label{result.levels[v]}; },
      Team::of(data.options.threads));
}

std::vector<Label> random_sources(const Graph& graph, std::size_t count, std::uint64_t seed)
{
  const GraphData& data = graph.data();
  std::mt19937_64 random(seed);
  std::vector<Label> sources;
  std::uint64_t const vertices = data.indices();
  if (vertices == 0) return sources;
  count = std::min<std::uint64_t>(count, vertices);
  std::unordered_set<std::uint64_t> taken;
  auto const take = [&](std::uint64_t v, std::uint64_t degree) {
    if (degree > 0 && taken.insert(v).second) sources.push_back(data.label_at(v));
  };
  // Drawing is enough unless nearly all vertices are isolated or wanted; then go through all of them.
  for (std::size_t draws = 0; draws < 64 * count && sources.size() < count; ++draws) {
    std::uint64_t const v = random() % vertices;
    take(v, data.input_degree(v));
  }
  std::uint64_t const start = random() % vertices;
  if (sources.size() == count) return sources;
  auto const all = data.is_in_parts() ? Section<std::uint32_t>() : data.input_degrees();
  auto const take_from = [&](std::uint64_t first, auto const& degrees) {
    for (std::uint64_t i = 0; i < degrees.size() && sources.size() < count; ++i) take(first + i, degrees[i]);
  };
  for (auto const& [first, last] : {std::pair(start, vertices), std::pair(std::uint64_t{0}, start)}) {
    if (!data.is_in_parts()) {
      take_from(first, all.span().subspan(first, last - first));
      continue;
    }
    constexpr std::uint64_t degrees_per_question = 1 << 16;  // every question goes to all devices
    for (std::uint64_t at = first; at < last && sources.size() < count; at += degrees_per_question)
      take_from(at, data.in_parts().input_degrees(at, std::min(last - at, degrees_per_question)));
  }
  return sources;
}

}  // namespace brushfire
