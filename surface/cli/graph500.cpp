// brushfire graph500: the benchmark, as it is ranked. A run with an invalid search prints no result block:
// nobody should be able to quote it.
#include "command.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "tables.hpp"

#include <brushfire/error.hpp>
#include <brushfire/graph500.hpp>

#include <fmt/format.h>

#include <limits>
#include <memory>

namespace brushfire::cli {

namespace {

struct Graph500Command {
  Graph500Options benchmark;
  bool no_validate = false;
  std::string resume;
  EngineOptions engine;
  ResultOptions results;
  MessageOptions messages;
};

int run_benchmark(const Graph500Command& command)
{
  command.messages.require_sense();
  command.results.require_sense();
  Graph500Options benchmark = command.benchmark;
  benchmark.validate = !command.no_validate;
  benchmark.graph = command.engine.graph();
  benchmark.graph.spread = true;
  benchmark.search = command.engine.search();
  benchmark.energy = command.results.wanted();
  if (!command.resume.empty()) benchmark.resume = command.resume;
  require_outputs({command.results.json, command.results.html, command.results.trace, command.resume});
  if (command.results.dry_run) return print_plan("graph500", plan_graph500(benchmark), command.results);

  StageProgress progress(command.messages);
  remark_on_device(command.engine, command.messages, progress);
  Report report = run_graph500(benchmark, progress);
  remark_on_config(report.config, benchmark.graph, command.messages, progress);
  if (command.messages.verbose)
    for (auto const& search : report.searches) fmt::print(stderr, "{}", level_table(search, !report.config.threshold));
  if (command.results.wanted()) measure_bandwidth(report.host, benchmark.search.device);
  command.results.write(report, progress.stages());
  require_valid(report);
  if (command.results.text()) fmt::print("{}", graph500_block(report));
  return 0;
}

}  // namespace

void add_graph500(CLI::App& program, Run& run)
{
  constexpr int most = std::numeric_limits<int>::max();
  auto const options = std::make_shared<Graph500Command>();
  auto& command = *program.add_subcommand("graph500", "the official benchmark on a Kronecker graph");
  add_number(command, "SCALE", options->benchmark.scale, 1, most, "the graph has 2^SCALE vertices")
      ->type_name("")
      ->required();
  add_number(command, "EDGEFACTOR", options->benchmark.edgefactor, 1, most, "edges per vertex (default: 16)")
      ->type_name("");
  add_number(command, "--roots", options->benchmark.roots, 1, most, "searches (default: 64)");
  command.add_flag("--no-validate", options->no_validate, "do not check the searches");
  command.add_flag("--compact", options->benchmark.compact, "32-bit parents, tuples generated twice: not conforming");
  command.add_option("--resume", options->resume, "keep finished searches here, and go on from them")
      ->type_name("FILE")
      ->check(file_name());
  add_search_options(command, options->engine);
  add_result_options(command, options->results);
  add_message_options(command, options->messages);
  add_verbose(command, options->messages);
  command.footer("Example: brushfire graph500 20 --json result.json --html result.html");
  command.callback([options, &run] { run = [options] { return run_benchmark(*options); }; });
}

}  // namespace brushfire::cli
