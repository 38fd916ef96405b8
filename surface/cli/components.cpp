// brushfire components: which vertices hang together, and how many of them there are each time.
#include "command.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "tables.hpp"

#include <brushfire/applications.hpp>
#include <brushfire/graph.hpp>
#include <brushfire/search.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace brushfire::cli {

namespace {

struct ComponentsOptions {
  std::string graph;
  std::string output;
  EngineOptions engine;
  ResultOptions results;
  MessageOptions messages;
};

std::string components_text(const std::vector<Component>& components, bool directed)
{
  constexpr std::size_t most_sizes = 20;
  std::string text = fmt::format("{}components  {}\n", directed ? "weak " : "", components.size());
  if (components.empty()) return text;
  text += fmt::format("largest  {}, {} the smallest label\n", counted(components[0].vertices, "vertices"),
                      components[0].name);
  text += fmt::format("\n{:>16} {:>16}\n", "vertices", "components");
  auto const sizes = sizes_of(components);
  for (std::size_t i = 0; i < std::min(sizes.size(), most_sizes); ++i)
    text += fmt::format("{:>16} {:>16}\n", sizes[i].vertices, sizes[i].components);
  if (sizes.size() > most_sizes)
    text += fmt::format("{:>33}\n", fmt::format("{} smaller sizes", sizes.size() - most_sizes));
  return text;
}

int run_components(const ComponentsOptions& options)
{
  require_table_name("-o", options.output);
  require_outputs({options.results.json, options.output}, {options.graph});
  if (options.results.dry_run)
    return print_plan("components", plan_application(Application::components, options.graph, options.engine.graph()),
                      options.results);
  StageProgress progress(options.messages);
  Graph const graph = Graph::open(options.graph, options.engine.graph(), progress);
  graph.verify_stored();
  if (!options.output.empty()) require_result_file(graph, options.output);
  progress.begin("joining", 0, "");
  Components const found = find_components(graph);
  progress.end();
  progress.hide();
  if (options.results.text()) fmt::print("{}", components_text(found.components, graph.facts().directed));
  if (!options.output.empty()) write_components(graph, found, options.output);
  if (!options.results.json.empty())
    options.results.write_json(components_to_json(describe_host(), describe_graph(graph.facts()), found));
  return 0;
}

}  // namespace

void add_components(CLI::App& program, Run& run)
{
  auto const options = std::make_shared<ComponentsOptions>();
  auto& command = *program.add_subcommand("components", "connected components; weakly connected ones with --directed");
  command.add_option("GRAPH", options->graph, "a file or a generator")->type_name("")->required();
  command
      .add_option("-o,--output", options->output, "write the smallest label of every vertex's component, .txt or .npy")
      ->type_name("FILE")
      ->check(file_name());
  add_directed(command, options->engine);
  add_build_options(command, options->engine);
  add_json(command, options->results);
  add_dry_run(command, options->results);
  add_message_options(command, options->messages);
  command.footer("Example: brushfire components roads.mtx.gz -o islands.txt");
  command.callback([options, &run] { run = [options] { return run_components(*options); }; });
}

}  // namespace brushfire::cli
