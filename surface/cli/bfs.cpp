// brushfire bfs: searches any graph from the sources that were asked for, and says what came out.
// A search that breaks a rule does not stop the others; the exit code tells at the end.
#include "command.hpp"
#include "lists.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "tables.hpp"

#include <brushfire/energy.hpp>
#include <brushfire/error.hpp>
#include <brushfire/graph.hpp>
#include <brushfire/report.hpp>
#include <brushfire/search.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>

namespace brushfire::cli {

namespace {

enum class Pick { listed, random, max_degree };

struct BfsOptions {
  std::string graph;
  Pick pick = Pick::listed;
  std::vector<Label> sources;
  std::size_t trials = 1;
  std::string levels, parents;
  SearchLimits limits;
  bool validate = false;
  EngineOptions engine;
  ResultOptions results;
  MessageOptions messages;

  bool several_sources() const { return sources.size() > 1 || (pick == Pick::random && trials > 1); }
};

void parse_sources(BfsOptions& options, const std::string& text)
{
  if (text == "random") {
    options.pick = Pick::random;
  } else if (text == "max-degree") {
    options.pick = Pick::max_degree;
  } else {
    for (const std::string& word : comma_separated(text))
      options.sources.push_back(static_cast<Label>(parse_number("--source", word, 0, largest_label)));
  }
}

void require_sense(const BfsOptions& options)
{
  options.messages.require_sense();
  options.results.require_sense();
  if (options.validate && options.limits.target)
    throw Error(ErrorKind::usage, "--validate needs a whole search, and --target stops early; leave one out");
  if (options.validate && options.limits.max_depth)
    throw Error(ErrorKind::usage, "--validate needs a whole search, and --max-depth stops early; leave one out");
  for (auto const& [option, file] : {std::pair("--levels", options.levels), std::pair("--parents", options.parents)}) {
    if (!file.empty() && options.several_sources())
      throw Error(ErrorKind::usage, fmt::format("{} holds one search, and there are several sources", option));
    require_table_name(option, file);
  }
}

// One root per search, in the order they run.
std::vector<Label> roots_of(const BfsOptions& options, const Graph& graph)
{
  std::vector<Label> roots;
  if (options.pick == Pick::random) {
    auto const drawn = random_sources(graph, options.trials, options.engine.seed);
    if (drawn.empty()) throw Error(ErrorKind::usage, "--source random: no vertex of this graph has an edge");
    for (std::size_t i = 0; i < options.trials; ++i) roots.push_back(drawn[i % drawn.size()]);
    return roots;
  }
  if (options.pick == Pick::max_degree && graph.facts().vertices == 0)
    throw Error(ErrorKind::usage, fmt::format("--source max-degree: {} has no vertices", options.graph));
  auto const sources = options.pick == Pick::max_degree ? std::vector{graph.largest_degree_vertex()} : options.sources;
  for (Label const source : sources) {
    if (!graph.find(source))
      throw Error(ErrorKind::usage, fmt::format("--source {}: there is no such vertex in {}", source, options.graph));
    roots.insert(roots.end(), options.trials, source);
  }
  return roots;
}

Report empty_report(const Graph& graph, const SearchOptions& options)
{
  Report report;
  report.command = "bfs";
  report.command_line = command_line();
  report.host = describe_host();
  report.graph = describe_graph(graph.facts());
  report.config = describe_config(graph, options);
  return report;
}

void judge(const Search& search, SearchReport& report, Progress& progress)
{
  auto const start = std::chrono::steady_clock::now();
  Verdict const verdict = search.validate(progress);
  report.validate_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.validation_started = std::chrono::duration<double>(start.time_since_epoch()).count();
  report.valid = verdict.valid();
  report.violation = verdict.witness;
}

// As --dry-run has it. What a file needs is known when it has been read, and several devices have shared it by then.
std::optional<MemoryPlan> plan_before(const BfsOptions& options, const GraphOptions& graph, const SearchOptions& search)
{
  std::error_code ignored;
  if (!options.results.wanted() || std::filesystem::exists(options.graph, ignored)) return std::nullopt;
  return plan_memory(options.graph, graph, search);
}

// A dry run builds nothing; the vertices of a generator are known all the same, 0 and those that follow.
void require_vertices_of_generator(const BfsOptions& options, const MemoryPlan& plan)
{
  std::error_code ignored;
  if (std::filesystem::exists(options.graph, ignored)) return;
  auto const require = [&](const char* role, Label label) {
    if (static_cast<std::uint64_t>(label) >= plan.vertices)
      throw Error(ErrorKind::usage, fmt::format("{} {}: there is no such vertex in {}", role, label, options.graph));
  };
  for (Label const source : options.sources) require("--source", source);
  if (options.limits.target) require("--target", *options.limits.target);
}

std::string path_line(const std::vector<Label>& path, Label root, const SearchLimits& limits)
{
  if (!path.empty()) return fmt::format("path of {}: {}\n", counted(path.size() - 1, "edges"), fmt::join(path, " -> "));
  auto const within = limits.max_depth
                          ? fmt::format(" within {}", counted(static_cast<std::uint64_t>(*limits.max_depth), "levels"))
                          : "";
  return fmt::format("{} is not reachable from {}{}\n", *limits.target, root, within);
}

std::string mean_line(const Report& report)
{
  auto const teps = teps_of(report.searches);
  return fmt::format("harmonic mean {} over {}  min {}  median {}  max {}\n", human_teps(teps.harmonic_mean),
                     counted(report.searches.size(), "searches"), human_teps(teps.minimum), human_teps(teps.median),
                     human_teps(teps.maximum));
}

int run_bfs(const BfsOptions& options)
{
  require_sense(options);
  auto graph_options = options.engine.graph();
  graph_options.spread = true;
  auto search_options = options.engine.search();
  search_options.levels = !options.levels.empty();
  require_outputs({options.results.json, options.results.html, options.results.trace, options.levels, options.parents},
                  {options.graph});
  if (options.results.dry_run) {
    MemoryPlan const plan = plan_memory(options.graph, graph_options, search_options);
    require_vertices_of_generator(options, plan);
    return print_plan("bfs", plan, options.results);
  }

  StageProgress progress(options.messages);
  remark_on_device(options.engine, options.messages, progress);
  auto plan = plan_before(options, graph_options, search_options);
  Graph const graph = Graph::open(options.graph, graph_options, progress);
  for (auto const& file : {options.levels, options.parents})
    if (!file.empty()) require_result_file(graph, file);
  if (options.validate) graph.verify_stored();
  auto const roots = roots_of(options, graph);
  if (options.limits.target && !graph.find(*options.limits.target))
    throw Error(ErrorKind::usage,
                fmt::format("--target {}: there is no such vertex in {}", *options.limits.target, options.graph));
  // Several ranks gather their results only to write them.
  if (graph.facts().ranks > 1) search_options.results_on_host = !options.levels.empty() || !options.parents.empty();
  Search search(graph, search_options);
  Report report = empty_report(graph, search_options);
  if (options.results.wanted() && !plan && report.config.all_devices() == 1) plan = plan_of(graph, 1, search_options);
  report.plan = std::move(plan);
  remark_on_config(report.config, graph_options, options.messages, progress);

  // One search shows the stages of its validation; many are one stage.
  bool const many = roots.size() > 1;
  if (many) progress.begin(options.validate ? "searching and validating" : "searching", roots.size(), "searches");
  auto const say = [&](const std::string& text) {
    progress.hide();
    if (options.results.text()) fmt::print("{}", text);
    std::fflush(stdout);
  };

  SearchResult result;
  for (Label const root : roots) {
    result = search.run(root, options.limits);
    auto& searched = report.searches.emplace_back(describe_search(result));
    if (options.validate) judge(search, searched, many ? Progress::none() : progress);
    say(search_line(searched));
    if (options.messages.verbose) fmt::print(stderr, "{}", level_table(searched, !report.config.threshold));
    if (options.limits.target) {
      searched.path = search.path_to(*options.limits.target);
      say(path_line(*searched.path, root, options.limits));
    }
    if (many) progress.advance(1);
  }
  if (many) progress.end();
  if (many) say(mean_line(report));

  report.config.parent_bits = result.parent_bits;
  report.memory = describe_memory(graph);
  for (auto const& [file, value] :
       {std::pair(options.levels, VertexValue::levels), std::pair(options.parents, VertexValue::parents)}) {
    if (file.empty()) continue;
    progress.begin("writing " + file, 0, "");
    write_result(graph, result, value, file);
    progress.end();
  }
  if (options.results.wanted()) {
    report.energy = measure_energy(graph, search, roots, search_options.device, options.limits);
    measure_bandwidth(report.host, search_options.device);
  }
  options.results.write(report, progress.stages());
  require_valid(report);
  return 0;
}

}  // namespace

void add_bfs(CLI::App& program, Run& run)
{
  auto const options = std::make_shared<BfsOptions>();
  auto& command = *program.add_subcommand("bfs", "search a graph from one or more vertices");
  command.add_option("GRAPH", options->graph, "a file or a generator: roads.mtx, kron:20, grid:300x400")
      ->type_name("")
      ->required();
  command
      .add_option_function<std::string>(
          "--source", [options](const std::string& text) { parse_sources(*options, text); }, "where to start")
      ->type_name("V,V,...|random|max-degree")
      ->required();
  add_number(command, "--trials", options->trials, std::size_t{1}, std::size_t{1} << 30,
             "search N times from each source, or from N random ones");
  command.add_option("--levels", options->levels, "write the level of every vertex, .txt or .npy")
      ->type_name("FILE")
      ->check(file_name());
  command.add_option("--parents", options->parents, "write the parent of every vertex, .txt or .npy")
      ->type_name("FILE")
      ->check(file_name());
  add_label(command, "--target", options->limits.target, "stop there and print the path");
  add_number(command, "--max-depth", options->limits.max_depth, std::int64_t{0},
             std::numeric_limits<std::int64_t>::max(), "go no deeper than level N");
  command.add_flag("--validate", options->validate, "check every search by the Graph500 rules");
  add_directed(command, options->engine);
  add_search_options(command, options->engine);
  add_result_options(command, options->results);
  add_message_options(command, options->messages);
  add_verbose(command, options->messages);
  command.footer("Example: brushfire bfs kron:20 --source random --trials 16 --validate");
  command.callback([options, &run] { run = [options] { return run_bfs(*options); }; });
}

}  // namespace brushfire::cli
