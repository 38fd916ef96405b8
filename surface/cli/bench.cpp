// brushfire bench: graphs, presets, numbers of devices and directions side by side. What is not said is that of the
// standard set, or of the quick one. With --paper, the experiments of a paper instead, which say all of that
// themselves.
#include "command.hpp"
#include "lists.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "progress.hpp"

#include <brushfire/bench.hpp>
#include <brushfire/error.hpp>
#include <brushfire/job.hpp>
#include <brushfire/output.hpp>

#include <fmt/format.h>

#include <memory>
#include <span>
#include <utility>

namespace brushfire::cli {

namespace {

struct BenchCommand {
  std::vector<std::string> graphs;
  std::vector<Preset> presets;
  std::vector<int> devices;
  std::vector<std::optional<Direction>> directions;
  std::optional<Preset> paper;
  std::optional<int> scale, roots, rounds;
  bool quick = false;
  bool no_validate = false;
  EngineOptions engine;
  ResultOptions results;
  MessageOptions messages;

  BenchOptions bench() const;
  PaperOptions experiments() const;  // of the paper
  template <typename Options>
  void set_common(Options& options) const
  {
    options.seed = engine.seed;
    options.validate = !no_validate;
    options.graph = engine.graph();
    options.graph.spread = true;
    options.search = engine.search();
  }
  void require_sense() const;
};

BenchOptions BenchCommand::bench() const
{
  BenchOptions bench = quick ? quick_bench() : standard_bench();
  auto const take = [](auto& into, auto const& said) {
    if (!said.empty()) into = said;
  };
  take(bench.graphs, graphs);
  take(bench.presets, presets);
  take(bench.devices, devices);
  take(bench.directions, directions);
  bench.roots = roots.value_or(bench.roots);
  bench.rounds = rounds.value_or(bench.rounds);
  set_common(bench);
  return bench;
}

PaperOptions BenchCommand::experiments() const
{
  PaperOptions options;
  options.scale = scale;
  options.roots = roots;
  options.rounds = rounds;
  set_common(options);
  return options;
}

void BenchCommand::require_sense() const
{
  messages.require_sense();
  require_outputs({results.json, results.html}, graphs);
  if (!paper && scale) throw Error(ErrorKind::usage, "--scale is the size of a --paper's graphs; name one");
  if (!paper) return;
  auto const refuse = [](bool said, const char* what) {
    if (said)
      throw Error(ErrorKind::usage,
                  fmt::format("--paper says itself what is measured; it cannot be used with {}", what));
  };
  refuse(!graphs.empty(), "a GRAPH");
  refuse(!presets.empty(), "--presets");
  refuse(!devices.empty(), "--devices");
  refuse(!directions.empty(), "--directions");
  refuse(quick, "--quick");
  refuse(engine.directed, "--directed");
  if (*paper == Preset::adaptive && Job::ranks_of_job() > 1)
    throw Error(ErrorKind::usage,
                fmt::format("--paper adaptive: its experiments are about one device, and there are {} ranks; run it in "
                            "one process, without a launcher",
                            Job::ranks_of_job()));
}

int run_paper_and_print(const BenchCommand& command, StageProgress& progress)
{
  PaperReport report = run_paper(*command.paper, command.experiments(), progress);
  progress.hide();
  report.command_line = command_line();
  if (command.results.text()) fmt::print("{}", paper_table(report));
  if (!command.results.json.empty()) command.results.write_json(paper_to_json(report));
  if (!command.results.html.empty()) write_text_file(command.results.html, paper_to_html(report));
  return 0;
}

int run_and_print(const BenchCommand& command)
{
  command.require_sense();
  StageProgress progress(command.messages);
  remark_on_device(command.engine, command.messages, progress);
  if (command.paper) return run_paper_and_print(command, progress);
  BenchReport report = run_bench(command.bench(), progress);
  progress.hide();
  if (command.results.text()) fmt::print("{}", bench_table(report));
  if (command.results.wanted()) measure_bandwidth(report.host, command.engine.search().device);
  if (!command.results.json.empty()) command.results.write_json(bench_to_json(report));
  if (!command.results.html.empty()) write_text_file(command.results.html, bench_to_html(report));
  return 0;
}

// The value that a word of a list means, one of `values` by its name.
template <typename Value, typename Values, typename Name>
Value value_named(const std::string& option, const std::string& word, const Values& values, const Name& name)
{
  std::vector<std::string> known;
  for (Value const& value : values) {
    if (word == name(value)) return value;
    known.emplace_back(name(value));
  }
  throw CLI::ValidationError(option, fmt::format("'{}' is not one of {}", word, fmt::join(known, ", ")));
}

Preset preset_named(const std::string& word)
{
  return value_named<Preset>("--presets", word, all_presets, [](Preset preset) { return name_of(preset); });
}

// Every preset but the program's own choice is a paper.
Preset paper_named(const std::string& word)
{
  return value_named<Preset>("--paper", word, std::span(all_presets).subspan<1>(),
                             [](Preset preset) { return name_of(preset); });
}

std::optional<Direction> direction_named(const std::string& word)
{
  using Choice = std::optional<Direction>;
  constexpr std::array choices{Choice(), Choice(Direction::push), Choice(Direction::pull)};
  return value_named<Choice>("--directions", word, choices,
                             [](const Choice& choice) { return choice ? name_of(*choice) : "auto"; });
}

int devices_named(const std::string& word)
{
  return static_cast<int>(parse_number("--devices", word, 1, static_cast<std::uint64_t>(most_devices)));
}

template <typename Value>
void add_list(CLI::App& command, const std::string& name, std::vector<Value>& list, Value (*parse)(const std::string&),
              const std::string& type, const std::string& help)
{
  auto const keep = [&list, parse](const std::string& text) {
    for (const std::string& word : comma_separated(text)) list.push_back(parse(word));
  };
  command.add_option_function<std::string>(name, keep, help)->type_name(type);
}

}  // namespace

void add_bench(CLI::App& program, Run& run)
{
  constexpr int most = 1 << 20;
  auto const options = std::make_shared<BenchCommand>();
  auto& command = *program.add_subcommand("bench", "compare presets, numbers of devices and directions");
  command.add_option("GRAPH", options->graphs, "files or generators (default: the standard set)")->type_name("");
  add_list(command, "--presets", options->presets, preset_named, "A,B,...", "presets (default: all)");
  add_list(command, "--devices", options->devices, devices_named, "N,N,...", "numbers of devices (default: 1,4,16)");
  add_list(command, "--directions", options->directions, direction_named, "A,B,...",
           "auto, push, pull (default: auto)");
  command
      .add_option_function<std::string>(
          "--paper", [options](const std::string& word) { options->paper = paper_named(word); },
          "repeat the experiments of the paper that the preset is from")
      ->type_name("delegates|ring|grid|butterfly|adaptive");
  add_number(command, "--scale", options->scale, smallest_paper_scale, largest_paper_scale,
             "of the paper's largest graph (default: a minute or so)");
  add_number(command, "--roots", options->roots, 1, most, "roots of each graph (default: 4; quick: 2)");
  add_number(command, "--rounds", options->rounds, 1, most, "times all are measured (default: 5; quick: 3)");
  command.add_flag("--quick", options->quick, "small graphs, few rounds: less than a minute");
  command.add_flag("--no-validate", options->no_validate, "do not check the searches");
  add_directed(command, options->engine);
  add_threads(command, options->engine);
  add_device(command, options->engine);
  add_seed(command, options->engine);
  add_json(command, options->results);
  add_html(command, options->results);
  add_message_options(command, options->messages);
  command.footer(
      "Example: brushfire bench kron:18 grid:200x200 --presets auto,delegates --devices 1,4 --html bench.html");
  command.callback([options, &run] { run = [options] { return run_and_print(*options); }; });
}

}  // namespace brushfire::cli
