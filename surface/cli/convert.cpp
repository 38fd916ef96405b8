// brushfire convert: reads a graph in any format and writes it in the format that the file name says.
#include "command.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "tables.hpp"

#include <brushfire/graph.hpp>
#include <brushfire/search.hpp>

#include <memory>

namespace brushfire::cli {

namespace {

struct ConvertOptions {
  std::string input;
  std::string output;
  EngineOptions engine;
  ResultOptions results;
  MessageOptions messages;
};

int run_convert(const ConvertOptions& options)
{
  auto const graph_options = options.engine.graph();
  require_outputs({options.output}, {options.input});
  require_graph_file(options.output);
  if (options.results.dry_run)
    return print_plan("convert", plan_memory(options.input, graph_options, {.device = Device::cpu}), options.results);
  StageProgress progress(options.messages);
  constexpr bool raw = false;
  write_graph(options.input, options.output, raw, graph_options, progress);
  return 0;
}

}  // namespace

void add_convert(CLI::App& program, Run& run)
{
  auto const options = std::make_shared<ConvertOptions>();
  auto& command = *program.add_subcommand("convert", "rewrite a graph in another format");
  command.add_option("IN", options->input, "the graph to read")->type_name("")->required();
  command.add_option("-o,--output", options->output, "file to write; its ending says the format")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  add_directed(command, options->engine);
  add_build_options(command, options->engine);
  add_dry_run(command, options->results);
  add_message_options(command, options->messages);
  command.footer("Example: brushfire convert roads.mtx.gz -o roads.bfg");
  command.callback([options, &run] { run = [options] { return run_convert(*options); }; });
}

}  // namespace brushfire::cli
