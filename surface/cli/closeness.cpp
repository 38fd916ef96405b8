// brushfire closeness: how central the vertices of a random sample are, 64 searches at a time.
#include "command.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "tables.hpp"

#include <brushfire/applications.hpp>
#include <brushfire/error.hpp>
#include <brushfire/graph.hpp>
#include <brushfire/search.hpp>

#include <fmt/format.h>

#include <memory>

namespace brushfire::cli {

namespace {

struct ClosenessCommand {
  std::string graph;
  std::size_t sample = 64;
  EngineOptions engine;
  ResultOptions results;
  MessageOptions messages;
};

std::string closeness_text(const std::vector<Closeness>& sample)
{
  std::string text =
      fmt::format("{:>20} {:>12} {:>8} {:>14} {:>14}\n", "vertex", "reached", "depth", "closeness", "harmonic");
  for (const Closeness& one : sample)
    text += fmt::format("{:>20} {:>12} {:>8} {:>14.6g} {:>14.6g}\n", one.vertex, one.reached, one.depth, one.closeness,
                        one.harmonic);
  return text;
}

int run_closeness(const ClosenessCommand& command)
{
  require_outputs({command.results.json}, {command.graph});
  auto const graph_options = command.engine.graph();
  if (command.results.dry_run)
    return print_plan("closeness", plan_application(Application::closeness, command.graph, graph_options),
                      command.results);
  StageProgress progress(command.messages);
  Graph const graph = Graph::open(command.graph, graph_options, progress);
  auto const vertices = random_sources(graph, command.sample, command.engine.seed);
  if (vertices.empty())
    throw Error(ErrorKind::usage, fmt::format("{}: no vertex of this graph has an edge", command.graph));
  if (vertices.size() < command.sample)
    progress.note(fmt::format("{} vertices have an edge: all of them are the sample", vertices.size()));
  auto const sample =
      measure_closeness(graph, vertices, {.threads = graph_options.threads, .device = graph_options.device}, progress);
  progress.hide();
  if (command.results.text()) fmt::print("{}", closeness_text(sample));
  if (!command.results.json.empty())
    command.results.write_json(closeness_to_json(describe_host(), describe_graph(graph.facts()), sample));
  return 0;
}

}  // namespace

void add_closeness(CLI::App& program, Run& run)
{
  auto const options = std::make_shared<ClosenessCommand>();
  auto& command = *program.add_subcommand("closeness", "closeness and harmonic centrality of a random sample");
  command.add_option("GRAPH", options->graph, "a file or a generator")->type_name("")->required();
  add_number(command, "--sample", options->sample, std::size_t{1}, std::size_t{1} << 30,
             "so many distinct vertices that have an edge (default: 64)");
  add_seed(command, options->engine);
  add_directed(command, options->engine);
  add_build_options(command, options->engine);
  add_device(command, options->engine);
  add_json(command, options->results);
  add_dry_run(command, options->results);
  add_message_options(command, options->messages);
  command.footer("Example: brushfire closeness kron:20 --sample 256 --seed 7");
  command.callback([options, &run] { run = [options] { return run_closeness(*options); }; });
}

}  // namespace brushfire::cli
