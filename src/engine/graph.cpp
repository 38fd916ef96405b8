// Building a Graph, and the questions that can be asked of one.
#include "base/clock.hpp"
#include "base/error.hpp"
#include "build/bfg.hpp"
#include "build/builder.hpp"
#include "build/layout_edges.hpp"
#include "engine/gpu.hpp"
#include "engine/graph_data.hpp"
#include "engine/open.hpp"
#include "engine/parted_graph.hpp"
#include "engine/plan.hpp"
#include "engine/stage_ranges.hpp"

#include <brushfire/graph.hpp>

#include <numeric>
#include <utility>

namespace brushfire {

namespace {

LayoutFacts facts_of(const Layout& layout)
{
  LayoutFacts facts{layout.vertices, layout.delegates, layout.threshold, layout.directed, {}, layout.bytes()};
  for (std::size_t kind = 0; kind < subgraph_count; ++kind)
    facts.entries[kind] = layout.entries(static_cast<Subgraph>(kind));
  return facts;
}

}  // namespace

GraphFacts facts_of(const GraphData& data, const LayoutFacts& layout, const std::string& name, const BfgCounts& counts)
{
  GraphFacts facts;
  facts.name = name;
  facts.directed = layout.directed;
  facts.vertices = layout.vertices;
  facts.edges_input = counts.edges_input;
  facts.self_loops = counts.self_loops;
  facts.edges_stored = std::accumulate(layout.entries.begin(), layout.entries.end(), std::uint64_t{0});
  facts.bytes = layout.bytes + data.labels.bytes();
  facts.threshold = layout.delegates == 0 ? plain_threshold : layout.threshold;
  facts.delegates = layout.delegates;
  facts.entries = layout.entries;
  return facts;
}

BfgCounts tuple_counts(const EdgeFacts& facts, std::uint64_t loops_listed, bool directed)
{
  if (!facts.listed_twice || directed) return {facts.edges, loops_listed, {}};
  std::uint64_t const loops = facts.loops_listed_once ? loops_listed : loops_listed / 2;
  return {(facts.edges - loops_listed) / 2 + loops, loops, {}};
}

// A graph is built on the GPU when that was asked for, when its tuples are to be kept there, or when it is large
// enough. On an H200 construction takes 6 ms however small the graph is (graph500 16), and 16 Xeon cores took 23 ns a
// tuple (graph500 20): equal near 2^18 tuples.
bool builds_on_gpu(const GraphOptions& options, std::uint64_t tuples, bool store_tuples)
{
  constexpr std::uint64_t worth_it = 1 << 18;
  if (choose_device(options.device) != Device::cuda) return false;
  return options.device == Device::cuda || store_tuples || tuples >= worth_it;
}

namespace {

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
  LayoutFacts layout{stored.layout.vertices, stored.layout.delegates, stored.layout.threshold,
                     stored.layout.directed, stored.counts.entries,   stored.layout.bytes()};
  data->hold(std::move(stored.layout));
  data->labels = std::move(stored.labels);
  data->facts = facts_of(*data, layout, spec, stored.counts);
  data->source = std::make_shared<LayoutEdges>(spec, data->layout(), data->labels);
  data->stored_in = std::move(stored.file);
  data->options = options;
  return Graph(std::move(data));
}

struct BuiltSomewhere {
  LayoutFacts layout;
  std::uint64_t self_loops = 0;
  double generation_seconds = 0;
  double construction_seconds = 0;
};

BuiltSomewhere build_here(GraphData& data, const EdgeSource& source, const BuildOptions& options, Team team,
                          Progress& progress)
{
  Stopwatch const watch;
  Built built = build_layout(source, data.labels, options, team, progress);
  BuiltSomewhere result{facts_of(built.layout), built.self_loops, 0, watch.seconds()};
  data.hold(std::move(built.layout));
  return result;
}

BuiltSomewhere build_there(GraphData& data, const EdgeSource& source, const GpuBuildOptions& options, Team team,
                           Progress& progress)
{
  GpuBuilt built = build_on_gpu(source, data.labels, options, team, progress);
  data.hold(built.graph);
  return {facts_of(*built.graph), built.self_loops, built.generation_seconds, built.construction_seconds};
}

}  // namespace

void GraphData::hold(std::shared_ptr<const GpuGraph> graph)
{
  built_on_gpu_ = true;
  on_gpu_ = std::move(graph);
}

const Layout& GraphData::layout() const
{
  if (built_on_gpu_) std::call_once(copied_to_host_, [this] { layout_ = copy_to_host(*on_gpu_); });
  return layout_;
}

const GpuGraph& GraphData::on_gpu() const
{
  if (!built_on_gpu_) std::call_once(copied_to_gpu_, [this] { on_gpu_ = copy_to_gpu(layout_, labels); });
  return *on_gpu_;
}

std::optional<std::uint64_t> GraphData::find(Label label) const
{
  if (parts_ != nullptr) return parts_->find(label);
  auto const vertex = labels.find(label);
  return vertex ? std::optional<std::uint64_t>(*vertex) : std::nullopt;
}

Label GraphData::label_at(std::uint64_t index) const
{
  return parts_ != nullptr ? parts_->label_at(index) : labels.label(static_cast<Vertex>(index));
}

Label GraphData::largest_label() const { return parts_ != nullptr ? parts_->largest_label() : labels.largest(); }

std::uint64_t GraphData::indices() const { return parts_ != nullptr ? parts_->indices() : labels.size(); }

std::uint32_t GraphData::input_degree(std::uint64_t index) const
{
  if (parts_ != nullptr) return parts_->input_degree(index);
  auto const vertex = static_cast<Vertex>(index);
  return built_on_gpu_ ? brushfire::input_degree(*on_gpu_, vertex) : layout_.input_degrees[vertex];
}

Section<std::uint32_t> GraphData::input_degrees() const
{
  if (!built_on_gpu_) return layout_.input_degrees;
  auto const owner = std::make_shared<const std::vector<std::uint32_t>>(brushfire::input_degrees(*on_gpu_));
  return {std::span(*owner), owner};
}

void require_whole(const GraphData& data)
{
  if (data.is_in_parts())
    fail(ErrorKind::usage, "{} is in parts, and its lists are spread; open it for one device", data.facts.name);
}

Graph build_graph(std::shared_ptr<const EdgeSource> source, const GraphOptions& options, Progress& progress,
                  double generation_seconds, bool store_tuples)
{
  if (wants_parts(options))
    return build_in_parts(std::move(source), options, progress, generation_seconds, store_tuples);
  Team const team = Team::of(options.threads);
  Stopwatch const watch;
  auto data = std::make_shared<GraphData>();
  bool const directed = options.directed || source->facts().directed;
  bool const on_gpu = builds_on_gpu(options, source->facts().edges, store_tuples);
  PlanRequest request = request_for(options);
  request.device = on_gpu ? Device::cuda : Device::cpu;
  request.directed = directed;
  request.keep_tuples_on_gpu = store_tuples;
  if (source->facts().declared) {  // a scale beyond all memory is refused before it is numbered
    request.vertices = source->facts().declared->count;
    require_fit(make_plan(source->facts(), request));
  }
  data->labels = Labels::of_source(*source, team);
  request.vertices = data->labels.size();
  request.sparse_labels = !data->labels.consecutive();
  require_fit(make_plan(source->facts(), request));

  double const numbering_seconds = watch.seconds();
  BuiltSomewhere const built =
      on_gpu ? build_there(*data, *source, {directed, request.threshold, store_tuples}, team, progress)
             : build_here(*data, *source, {directed, request.threshold}, team, progress);
  BfgCounts const counts = tuple_counts(source->facts(), built.self_loops, directed);
  data->facts = facts_of(*data, built.layout, source->facts().name, counts);
  data->facts.generation_seconds = generation_seconds + built.generation_seconds;
  data->facts.construction_seconds = numbering_seconds + built.construction_seconds;
  data->source = std::move(source);
  data->options = options;
  return Graph(std::move(data));
}

Graph Graph::open(const std::string& spec, const GraphOptions& options, Progress& shown)
{
  require_sense(options);
  StageRanges progress(shown);
  if (wants_parts(options)) return open_in_parts(spec, options, progress);
  if (names_stored_graph(spec)) return open_stored(spec, options);
  Stopwatch const watch;
  auto source = open_tuples(spec, Team::of(options.threads), progress);
  double const opening = watch.seconds();
  return build_graph(std::move(source), options, progress, opening);
}

const GraphFacts& Graph::facts() const { return data_->facts; }
Label Graph::label(Vertex vertex) const { return data_->label_at(vertex); }
std::optional<Vertex> Graph::find(Label label) const
{
  auto const index = data_->find(label);
  if (index && *index >= no_vertex)
    fail(ErrorKind::failure, "{}: vertex {} has an index past 2^32-2, which a Vertex cannot hold", facts().name, label);
  return index ? std::optional(static_cast<Vertex>(*index)) : std::nullopt;
}

void Graph::verify_stored() const
{
  if (data_->stored_in != nullptr) verify_bfg(*data_->stored_in, Team::of(data_->options.threads));
}

}  // namespace brushfire
