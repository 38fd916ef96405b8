// brushfire diameter: how far apart two vertices of a component can be, between bounds that meet where time allows.
#include "command.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "tables.hpp"

#include <brushfire/applications.hpp>
#include <brushfire/error.hpp>
#include <brushfire/graph.hpp>

#include <fmt/format.h>

#include <limits>
#include <memory>

namespace brushfire::cli {

namespace {

struct DiameterCommand {
  std::string graph;
  DiameterOptions bounds;
  EngineOptions engine;
  ResultOptions results;
  MessageOptions messages;
};

std::string diameter_text(const DiameterBounds& bounds)
{
  auto const value = bounds.exact() ? fmt::format("{}", bounds.lower)
                                    : fmt::format("at least {}, at most {}", bounds.lower, bounds.upper);
  return fmt::format(
      "diameter   {}\nfrom       {} to {}, {} apart\ncomponent  {}, {} the smallest label\n"
      "searches   {}\n",
      value, bounds.from, bounds.to, counted(static_cast<std::uint64_t>(bounds.lower), "edges"),
      counted(bounds.component.vertices, "vertices"), bounds.component.name, bounds.searches);
}

int run_diameter(const DiameterCommand& command)
{
  require_outputs({command.results.json}, {command.graph});
  auto const graph_options = command.engine.graph();
  if (command.results.dry_run)
    return print_plan("diameter", plan_application(Application::diameter, command.graph, graph_options),
                      command.results);
  StageProgress progress(command.messages);
  Graph const graph = Graph::open(command.graph, graph_options, progress);
  DiameterOptions options = command.bounds;
  options.threads = graph_options.threads;
  options.device = graph_options.device;
  if (options.component_of && !graph.find(*options.component_of))
    throw Error(ErrorKind::usage,
                fmt::format("--component {}: there is no such vertex in {}", *options.component_of, command.graph));
  auto const bounds = bound_diameter(graph, options, progress);
  progress.hide();
  if (command.results.text()) fmt::print("{}", diameter_text(bounds));
  if (!command.results.json.empty())
    command.results.write_json(diameter_to_json(describe_host(), describe_graph(graph.facts()), bounds));
  return 0;
}

}  // namespace

void add_diameter(CLI::App& program, Run& run)
{
  auto const options = std::make_shared<DiameterCommand>();
  auto& command = *program.add_subcommand("diameter", "bounds of the diameter of a component, exact where they meet");
  command.add_option("GRAPH", options->graph, "a file or a generator")->type_name("")->required();
  add_label(command, "--component", options->bounds.component_of, "that of vertex V (default: the largest component)");
  add_number(command, "--searches", options->bounds.most_searches, std::uint64_t{1},
             std::numeric_limits<std::uint64_t>::max(),
             "leave the bounds apart after about N searches, at least 5 (default: 4096)");
  add_build_options(command, options->engine);
  add_device(command, options->engine);
  add_json(command, options->results);
  add_dry_run(command, options->results);
  add_message_options(command, options->messages);
  command.footer("Example: brushfire diameter roads.mtx.gz");
  command.callback([options, &run] { run = [options] { return run_diameter(*options); }; });
}

}  // namespace brushfire::cli
