// brushfire generate: writes a graph that a generator makes, in the format that the file name says.
#include "command.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "tables.hpp"

#include <brushfire/error.hpp>
#include <brushfire/graph.hpp>
#include <brushfire/search.hpp>

#include <fmt/format.h>

#include <memory>

namespace brushfire::cli {

namespace {

struct GenerateOptions {
  std::string graph;
  std::string output;
  bool raw = false;
  EngineOptions engine;
  ResultOptions results;
  MessageOptions messages;
};

int run_generate(const GenerateOptions& options)
{
  if (!names_generator(options.graph))
    throw Error(ErrorKind::usage, fmt::format("'{}' is not a generator such as kron:20; to rewrite a file use "
                                              "'brushfire convert'",
                                              options.graph));
  if (options.raw && options.results.dry_run)
    throw Error(ErrorKind::usage, "--raw builds nothing, so --dry-run has nothing to plan; leave one out");
  auto const graph_options = options.engine.graph();
  require_outputs({options.output});
  if (!options.raw) require_graph_file(options.output);
  if (options.results.dry_run)
    return print_plan("generate", plan_memory(options.graph, graph_options, {.device = Device::cpu}), options.results);
  StageProgress progress(options.messages);
  write_graph(options.graph, options.output, options.raw, graph_options, progress);
  return 0;
}

}  // namespace

void add_generate(CLI::App& program, Run& run)
{
  auto const options = std::make_shared<GenerateOptions>();
  auto& command = *program.add_subcommand("generate", "write a generated graph to a file");
  command.add_option("GRAPH", options->graph, "a generator: kron:20, uniform:20:8, grid:300x400")
      ->type_name("")
      ->required();
  command.add_option("-o,--output", options->output, "file to write; its ending says the format")
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  command.add_flag("--raw", options->raw, "the tuples as generated, nothing dropped or sorted");
  add_build_options(command, options->engine);
  add_dry_run(command, options->results);
  add_message_options(command, options->messages);
  command.footer("Example: brushfire generate kron:20 -o kron20.bfg");
  command.callback([options, &command, &run] {
    for (auto const* const layout : {"--threshold", "--partition"})
      if (options->raw && command.count(layout) > 0)
        throw Error(ErrorKind::usage, fmt::format("--raw builds nothing, which contradicts {}; leave one out", layout));
    run = [options] { return run_generate(*options); };
  });
}

}  // namespace brushfire::cli
