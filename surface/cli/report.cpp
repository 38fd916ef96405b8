// brushfire report: the charts of results that were written before, several of them together.
#include "command.hpp"
#include "outputs.hpp"

#include <brushfire/output.hpp>
#include <brushfire/results.hpp>

#include <memory>

namespace brushfire::cli {

namespace {

struct ReportOptions {
  std::vector<std::string> inputs;
  std::string output;
};

int run_report(const ReportOptions& options)
{
  require_outputs({options.output}, options.inputs);
  Results results;
  for (const std::string& input : options.inputs) read_results(input, results);
  write_text_file(options.output, results_to_html(results));
  return 0;
}

}  // namespace

void add_report(CLI::App& program, Run& run)
{
  auto const options = std::make_shared<ReportOptions>();
  auto& command = *program.add_subcommand("report", "charts from result files");
  command.add_option("JSON", options->inputs, "results that graph500, bfs and bench wrote with --json")
      ->type_name("")
      ->required();
  command.add_option("-o,--output", options->output, "the page to write")
      ->type_name("FILE")
      ->check(file_name())
      ->check(no_stdout())
      ->required();
  command.footer("Example: brushfire report one.json two.json four.json -o scaling.html");
  command.callback([options, &run] { run = [options] { return run_report(*options); }; });
}

}  // namespace brushfire::cli
