// Building a Graph, and the questions that can be asked of one.
#include "base/clock.hpp"
#include "base/error.hpp"
#include "build/bfg.hpp"
#include "build/builder.hpp"
#include "build/layout_edges.hpp"
#include "engine/graph_data.hpp"
#include "engine/open.hpp"
#include "engine/plan.hpp"

#include <brushfire/graph.hpp>

#include <utility>

namespace brushfire {

namespace {

GraphFacts facts_of(const GraphData& data, const std::string& name, const BfgCounts& counts)
{
  GraphFacts facts;
  facts.name = name;
  facts.directed = data.layout.directed;
  facts.vertices = data.layout.vertices;
  facts.edges_input = counts.edges_input;
  facts.self_loops = counts.self_loops;
  facts.edges_stored = data.layout.entries();
  facts.bytes = data.layout.bytes() + data.labels.bytes();
  facts.threshold = data.layout.delegates == 0 ? plain_threshold : data.layout.threshold;
  facts.delegates = data.layout.delegates;
  facts.entries = counts.entries;
  return facts;
}

// Edges and self-loops as the user counts them, however often the source lists each.
BfgCounts tuple_counts(const EdgeFacts& facts, std::uint64_t loops_listed, bool directed)
{
  if (!facts.listed_twice || directed) return {facts.edges, loops_listed, {}};
  std::uint64_t const loops = facts.loops_listed_once ? loops_listed : loops_listed / 2;
  return {(facts.edges - loops_listed) / 2 + loops, loops, {}};
}

Graph open_stored(const std::string& spec, const GraphOptions& options)
{
  auto data = std::make_shared<GraphData>();
  BfgGraph stored = open_bfg(spec);
  if (options.directed && !stored.layout.directed)
    fail(ErrorKind::usage, "{}: holds an undirected graph; --directed needs one that was converted with --directed",
         spec);
  if (options.threshold && *options.threshold != stored.layout.threshold)
    fail(
        ErrorKind::usage, "{}: was built {}; convert it again for another threshold", spec,
        stored.layout.delegates == 0 ? "without delegates" : fmt::format("with threshold {}", stored.layout.threshold));
  data->layout = std::move(stored.layout);
  data->labels = std::move(stored.labels);
  data->facts = facts_of(*data, spec, stored.counts);
  data->source = std::make_shared<LayoutEdges>(spec, data->layout, data->labels);
  data->stored_in = std::move(stored.file);
  data->threads = options.threads;
  return Graph(std::move(data));
}

}  // namespace

Graph build_graph(std::shared_ptr<const EdgeSource> source, const GraphOptions& options, Progress& progress,
                  double generation_seconds)
{
  Team const team = Team::of(options.threads);
  Stopwatch const watch;
  auto data = std::make_shared<GraphData>();
  bool const directed = options.directed || source->facts().directed;
  PlanRequest request;
  request.directed = directed;
  request.threshold = options.threshold;
  if (source->facts().declared) {  // a scale beyond all memory is refused before it is numbered
    request.vertices = source->facts().declared->count;
    require_fit(make_plan(source->facts(), request));
  }
  data->labels = Labels::of_source(*source, team);
  request.vertices = data->labels.size();
  request.sparse_labels = !data->labels.consecutive();
  require_fit(make_plan(source->facts(), request));

  Built built = build_layout(*source, data->labels, {directed, options.threshold}, team, progress);
  data->layout = std::move(built.layout);
  BfgCounts counts = tuple_counts(source->facts(), built.self_loops, directed);
  for (std::size_t kind = 0; kind < subgraph_count; ++kind)
    counts.entries[kind] = data->layout.entries(static_cast<Subgraph>(kind));
  data->facts = facts_of(*data, source->facts().name, counts);
  data->facts.generation_seconds = generation_seconds;
  data->facts.construction_seconds = watch.seconds();
  data->source = std::move(source);
  data->threads = options.threads;
  return Graph(std::move(data));
}

Graph Graph::open(const std::string& spec, const GraphOptions& options, Progress& progress)
{
  if (names_stored_graph(spec)) return open_stored(spec, options);
  Stopwatch const watch;
  auto source = open_tuples(spec, Team::of(options.threads), progress);
  double const opening = watch.seconds();
  return build_graph(std::move(source), options, progress, opening);
}

const GraphFacts& Graph::facts() const { return data_->facts; }
std::optional<Vertex> Graph::find(Label label) const { return data_->labels.find(label); }
Label Graph::label(Vertex vertex) const { return data_->labels.label(vertex); }

void Graph::verify_stored() const
{
  if (data_->stored_in != nullptr) verify_bfg(*data_->stored_in, Team::of(data_->threads));
}

}  // namespace brushfire
