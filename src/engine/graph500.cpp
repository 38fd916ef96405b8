// The benchmark from end to end. Untimed: tuples, roots, one search to warm up, validation. Timed: construction, and
// each search until its parents stand in input labels.
#include "base/clock.hpp"
#include "base/error.hpp"
#include "engine/graph_data.hpp"
#include "engine/plan.hpp"
#include "engine/stage_ranges.hpp"
#include "exchange/job_wire.hpp"
#include "input/kronecker.hpp"
#include "input/packed_edges.hpp"
#include "input/tuple_share.hpp"
#include "report/search_log.hpp"

#include <brushfire/energy.hpp>
#include <brushfire/graph500.hpp>

#include <fmt/format.h>

#include <map>
#include <unordered_set>

namespace brushfire {

namespace {

void require_sense(const Graph500Options& options)
{
  if (options.scale < 1) fail(ErrorKind::usage, "scale {}: the scale must be at least 1", options.scale);
  if (options.edgefactor < 1)
    fail(ErrorKind::usage, "edge factor {}: the edge factor must be at least 1", options.edgefactor);
  if (options.roots < 1) fail(ErrorKind::usage, "--roots {}: at least one root is needed", options.roots);
}

// The tuples that this rank generates.
std::shared_ptr<const EdgeSource> make_generator(const Graph500Options& options)
{
  require_sense(options);
  auto all = std::make_shared<KroneckerEdges>(options.scale, static_cast<std::uint64_t>(options.edgefactor));
  if (!spreads(options.graph)) return all;
  return std::make_shared<TuplesOfRank>(std::move(all), job_place().rank, job_place().ranks);
}

MemoryPlan plan_for(const Graph500Options& options, const EdgeSource& generator, std::optional<TupleHome> home)
{
  PlanRequest request = request_for(options.graph, options.search);
  request.vertices = generator.facts().declared->count;
  request.wide_parents = !options.compact;
  request.keep_tuples = home;
  request.keep_tuples_on_gpu = !options.compact;
  return make_plan(generator.facts(), request);
}

// Where the host keeps the list; a GPU keeps its own.
std::optional<TupleHome> tuple_home(const Graph500Options& options, const EdgeSource& generator)
{
  if (options.compact || choose_device(options.search.device) == Device::cuda) return std::nullopt;
  return choose_tuple_home(generator.facts().edges);
}

// Distinct vertices with a neighbour, in the order of the reference; fewer when there are not as many.
std::vector<Label> choose_roots(const Graph& graph, int wanted)
{
  Graph500Roots candidates(graph.facts().vertices);
  std::unordered_set<Label> taken;
  std::vector<Label> roots;
  while (roots.size() < static_cast<std::size_t>(wanted) && !candidates.exhausted()) {
    Label const candidate = candidates.next();
    bool const isolated = graph.data().input_degree(static_cast<std::uint64_t>(candidate)) == 0;
    if (!isolated && taken.insert(candidate).second) roots.push_back(candidate);
  }
  return roots;
}

std::map<std::string, std::string> settings_of(const Graph500Options& options)
{
  return {{"scale", fmt::to_string(options.scale)},
          {"edgefactor", fmt::to_string(options.edgefactor)},
          {"roots", fmt::to_string(options.roots)},
          {"validate", options.validate ? "yes" : "no"},
          {"compact", options.compact ? "yes" : "no"},
          {"threads", fmt::to_string(Team::of(options.search.threads).threads)},
          {"threshold", options.graph.threshold ? fmt::to_string(*options.graph.threshold) : "auto"},
          {"direction", options.search.direction ? name_of(*options.search.direction) : "auto"},
          {"deterministic", options.search.deterministic ? "yes" : "no"},
          {"device", name_of(choose_device(options.search.device))},
          {"preset", name_of(options.search.preset)},
          {"fanout", fmt::to_string(options.search.fanout)},
          {"grid",
           options.graph.grid ? fmt::format("{}x{}", options.graph.grid->rows, options.graph.grid->columns) : "auto"},
          {"delegates kept", options.graph.keep_delegates ? "yes" : "no"},
          {"ranks", fmt::to_string(spreads(options.graph) ? job_place().ranks : 1)},
          {"devices", fmt::to_string(options.graph.devices)},
          {"uniquify", options.search.uniquify ? "yes" : "no"},
          {"local-all2all", options.search.local_all2all ? "yes" : "no"},
          {"reduce", options.search.nonblocking_reduce ? "nonblocking" : "blocking"},
          {"frontier", options.search.queue ? name_of(*options.search.queue) : "auto"},
          {"balance", options.search.balance ? name_of(*options.search.balance) : "auto"},
          {"async-pull", !options.search.async_pull   ? "auto"
                         : *options.search.async_pull ? "on"
                                                      : "off"}};
}

struct Prepared {
  Graph graph;
  Search search;
  std::vector<Label> roots;
  double construction_seconds;
};

Prepared prepare(const Graph500Options& options, Progress& progress)
{
  std::shared_ptr<const EdgeSource> tuples = make_generator(options);
  auto const home = tuple_home(options, *tuples);
  require_fit(plan_for(options, *tuples, home));
  double generation_seconds = 0;
  if (home) {
    Stopwatch const watch;
    progress.begin(spreads(options.graph) ? "generating on each rank" : "generating", tuples->facts().edges, "edges");
    tuples = std::make_shared<PackedEdges>(*tuples, *home, Team::of(options.graph.threads), progress);
    progress.end();
    generation_seconds = watch.seconds();
  }
  Graph graph = build_graph(tuples, options.graph, progress, generation_seconds, !options.compact);
  auto roots = choose_roots(graph, options.roots);
  if (roots.empty()) fail(ErrorKind::failure, "no vertex of this graph has an edge to search from");
  SearchOptions search = options.search;
  search.wide_parents = !options.compact;
  if (graph.data().is_in_parts()) search.results_on_host = false;  // trees stay where they are, and are judged there
  // What a search looks up belongs to construction: it is made once, from the graph alone.
  Stopwatch const watch;
  Search prepared(graph, search);
  return {graph, std::move(prepared), std::move(roots), graph.facts().construction_seconds + watch.seconds()};
}

SearchReport search_and_judge(Search& search, Label root, bool validate)
{
  SearchReport report = describe_search(search.run(root));
  if (validate) {
    Stopwatch const watch;
    Verdict const verdict = search.validate();
    report.validate_seconds = watch.seconds();
    report.validation_started = watch.started();
    report.valid = verdict.valid();
    report.violation = verdict.witness;
  }
  return report;
}

SearchLogStart start_of(const Prepared& prepared, const Graph500Options& options)
{
  SearchLogStart start{settings_of(options), describe_graph(prepared.graph.facts()),
                       describe_config(prepared.graph, options.search), prepared.roots};
  start.graph.construction_seconds = prepared.construction_seconds;
  start.config.parent_bits = options.compact ? 32 : 64;
  return start;
}

// What is known only while the graph is there.
struct Measured {
  MemoryReport memory;
  std::optional<EnergyReport> energy{};
};

Measured run_missing(SearchLog& log, const Graph500Options& options, Progress& progress)
{
  Prepared prepared = prepare(options, progress);
  if (!log.started()) log.begin(start_of(prepared, options));
  auto const& roots = log.start().roots;
  prepared.search.run(roots.front());  // warms caches and page tables, as is customary
  progress.begin(options.validate ? "searching and validating" : "searching", roots.size(), "searches");
  progress.advance(log.finished().size());
  for (std::size_t i = log.finished().size(); i < roots.size(); ++i) {
    log.append(search_and_judge(prepared.search, roots[i], options.validate));
    progress.advance(1);
  }
  progress.end();
  Measured measured{describe_memory(prepared.graph)};
  if (options.energy) measured.energy = measure_energy(prepared.graph, prepared.search, roots, options.search.device);
  return measured;
}

}  // namespace

MemoryPlan plan_graph500(const Graph500Options& options)
{
  auto const generator = make_generator(options);
  MemoryPlan plan = plan_for(options, *generator, tuple_home(options, *generator));
  plan.edges = KroneckerEdges(options.scale, static_cast<std::uint64_t>(options.edgefactor)).facts().edges;
  return plan;
}

Report run_graph500(const Graph500Options& options, Progress& shown)
{
  require_sense(options);
  StageRanges progress(shown);
  SearchLog log(options.resume, settings_of(options), from_first_rank);
  Report report;
  if (!log.complete()) report.plan = plan_graph500(options);
  Measured const measured = log.complete() ? Measured{describe_memory()} : run_missing(log, options, progress);
  report.memory = measured.memory;
  report.energy = measured.energy;
  report.command = "graph500";
  report.command_line = command_line();
  report.host = describe_host();
  report.graph = log.start().graph;
  report.config = log.start().config;
  report.searches = log.finished();
  report.graph500 = Graph500Report{options.scale, options.edgefactor, !options.compact, {}};
  if (options.compact)
    report.graph500->reasons = {"32-bit parents", "tuples generated again inside construction instead of stored"};
  return report;
}

}  // namespace brushfire
