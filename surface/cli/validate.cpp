// brushfire validate: judges a parent array, whoever computed it, by the five rules of the Graph500.
#include "command.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <brushfire/error.hpp>
#include <brushfire/graph.hpp>

#include <fmt/format.h>

#include <memory>

namespace brushfire::cli {

namespace {

struct ValidateOptions {
  std::string graph;
  std::optional<Label> source;
  std::string parents;
  EngineOptions engine;
  MessageOptions messages;
};

int run_validate(const ValidateOptions& options)
{
  StageProgress progress(options.messages);
  auto const verdict = validate_file(options.graph, *options.source, options.parents, options.engine.graph(), progress);
  progress.hide();
  if (!verdict.valid()) throw Error(ErrorKind::validation, fmt::format("{}: {}", options.parents, verdict.witness));
  fmt::print("valid  root {}  reached {}  depth {}  nedge {}\n", *options.source, verdict.reached, verdict.depth,
             verdict.nedge);
  return 0;
}

}  // namespace

void add_validate(CLI::App& program, Run& run)
{
  auto const options = std::make_shared<ValidateOptions>();
  auto& command = *program.add_subcommand("validate", "check a parent array that anyone computed");
  command.add_option("GRAPH", options->graph, "a file or a generator")->type_name("")->required();
  add_label(command, "--source", options->source, "the root of the search")->required();
  command.add_option("--parents", options->parents, "the parent of every vertex, .txt or .npy")
      ->type_name("FILE")
      ->required();
  add_directed(command, options->engine);
  add_threads(command, options->engine);
  add_message_options(command, options->messages);
  command.footer("Example: brushfire validate roads.mtx --source 1 --parents parents.npy");
  command.callback([options, &run] { run = [options] { return run_validate(*options); }; });
}

}  // namespace brushfire::cli
