// brushfire bench: graphs, presets, numbers of devices and directions side by side. What is not said is that of the
// standard set, or of the quick one.
#include "command.hpp"
#include "lists.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <brushfire/bench.hpp>
#include <brushfire/error.hpp>
#include <brushfire/output.hpp>

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace brushfire::cli {

namespace {

struct BenchCommand {
  std::vector<std::string> graphs;
  std::vector<Preset> presets;
  std::vector<int> devices;
  std::vector<std::optional<Direction>> directions;
  std::optional<int> roots, rounds;
  bool quick = false;
  bool no_validate = false;
  EngineOptions engine;
  ResultOptions results;
  MessageOptions messages;

  BenchOptions bench() const;
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
  bench.seed = engine.seed;
  bench.validate = !no_validate;
  bench.graph = engine.graph();
  bench.graph.spread = true;
  bench.search = engine.search();
  return bench;
}

int run_and_print(const BenchCommand& command)
{
  command.messages.require_sense();
  BenchOptions const bench = command.bench();
  require_outputs({command.results.json, command.results.html});

  StageProgress progress(command.messages);
  remark_on_device(command.engine, command.messages, progress);
  BenchReport const report = run_bench(bench, progress);
  progress.hide();
  if (command.results.text()) fmt::print("{}", bench_table(report));
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
  add_number(command, "--roots", options->roots, 1, most, "roots of each graph (default: 4; quick: 2)");
  add_number(command, "--rounds", options->rounds, 1, most, "times all are measured (default: 5)");
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
