// A bench, one graph after the other: its rows, and those that can run measured side by side (engine/measure.hpp).
#include "base/error.hpp"
#include "engine/measure.hpp"
#include "engine/open.hpp"
#include "engine/stage_ranges.hpp"

#include <brushfire/bench.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace brushfire {

namespace {

template <typename Values, typename Name>
void require_different(const Values& values, const char* what, const Name& name)
{
  for (auto value = values.begin(); value != values.end(); ++value)
    if (std::find(values.begin(), value, *value) != value)
      fail(ErrorKind::usage, "{} {} is named twice; name every {} once", what, name(*value), what);
}

void require_sense(const BenchOptions& options)
{
  auto const require = [](bool some, const char* what) {
    if (!some) fail(ErrorKind::usage, "a bench needs at least one {}", what);
  };
  require(!options.graphs.empty(), "graph");
  require(!options.presets.empty(), "preset");
  require(!options.devices.empty() && *std::min_element(options.devices.begin(), options.devices.end()) > 0, "device");
  require(!options.directions.empty(), "direction");
  require(options.roots > 0, "root");
  require(options.rounds > 0, "round");
  require_different(options.graphs, "graph", [](const std::string& graph) { return graph; });
  require_different(options.presets, "preset", [](Preset preset) { return name_of(preset); });
  require_different(options.devices, "number of devices", [](int devices) { return devices; });
  require_different(options.directions, "direction", [](auto direction) { return name_of_direction(direction); });
  // Nobody should measure for minutes first: a generator, or a file that is not there, is refused at once.
  std::error_code ignored;
  for (const std::string& graph : options.graphs)
    if (!std::filesystem::exists(graph, ignored)) open_tuples(graph, Team::of(1), Progress::none());
}

// The rows of a graph; those that are compared stand together.
struct PlannedRows {
  std::vector<Combination> combinations;  // that can run
  std::vector<std::size_t> rows;          // theirs, in the report
};

PlannedRows plan_rows(const std::string& spec, const BenchOptions& options, BenchReport& report)
{
  Device const device = choose_device(options.graph.device);
  PlannedRows planned;
  for (int const devices : options.devices)
    for (Preset const preset : options.presets)
      for (auto const direction : options.directions) {
        Combination next{options.graph, options.search};
        next.graph.device = next.search.device = device;
        next.graph.preset = next.search.preset = preset;
        next.graph.devices = devices;
        next.search.direction = direction;
        // Trees of parts are judged where they are; gathering them would only take time between the searches.
        if (all_devices(next.graph) > 1) next.search.results_on_host = false;
        BenchRow& row = report.rows.emplace_back();
        row.graph = spec;
        row.preset = name_of(preset);
        row.device = name_of(device);
        row.devices = all_devices(next.graph);
        row.direction = name_of_direction(direction);
        // A search would not say so, and push.
        if (preset == Preset::ring && direction == Direction::pull) row.why_not = "it only pushes";
        if (!row.ran()) continue;
        planned.combinations.push_back(next);
        planned.rows.push_back(report.rows.size() - 1);
      }
  return planned;
}

void fill_in(BenchRow& row, const Measurement& measurement)
{
  auto const whole = [](double number) { return static_cast<std::uint64_t>(std::llround(number)); };
  const SearchMeans& search = measurement.search;
  row.why_not = measurement.why_not;
  row.seconds = search.seconds;
  row.fastest = measurement.fastest;
  row.slowest = measurement.slowest;
  row.teps = search.teps;
  row.modelled_seconds = search.modelled_seconds;
  row.volume_seconds = search.volume_seconds;
  row.edges_checked = whole(search.edges_checked);
  row.bytes_sent = whole(search.bytes_sent);
  row.bytes_by_paper = whole(search.bytes_by_paper);
  row.messages = whole(search.messages + search.messages_parents);
  row.graph_bytes = measurement.graph.bytes;
}

}  // namespace

// Hubs, none, few, both together with a long way behind them, and nothing but a long way.
BenchOptions standard_bench()
{
  BenchOptions options;
  options.graphs = {"kron:18", "uniform:17", "powerlaw:200000:2.3", "tail:16:500", "grid:200x200"};
  return options;
}

BenchOptions quick_bench()
{
  BenchOptions options;
  options.graphs = {"kron:16", "uniform:15", "powerlaw:30000:2.3", "tail:14:200", "grid:80x80"};
  options.roots = 2;
  options.rounds = 3;
  return options;
}

BenchReport run_bench(const BenchOptions& options, Progress& shown)
{
  require_sense(options);
  StageRanges progress(shown);
  BenchReport report;
  report.command_line = command_line();
  report.host = describe_host();
  report.model = options.model.value_or(model_of(choose_device(options.graph.device)));
  report.roots = options.roots;
  report.rounds = options.rounds;
  report.seed = options.seed;
  report.validated = options.validate;
  MeasureOptions const how{options.roots, options.rounds, options.seed, options.validate, report.model};
  ErrorKind problem = ErrorKind::usage;  // should nothing run
  for (const std::string& spec : options.graphs) {
    PlannedRows const planned = plan_rows(spec, options, report);
    MeasuredGraph const measured = measure(spec, planned.combinations, how, progress);
    report.graphs.push_back(measured.graph);
    for (std::size_t i = 0; i < planned.rows.size(); ++i)
      fill_in(report.rows[planned.rows[i]], measured.measurements[i]);
    if (measured.lacked_memory) problem = ErrorKind::memory;
  }
  if (std::none_of(report.rows.begin(), report.rows.end(), [](const BenchRow& row) { return row.ran(); })) {
    const BenchRow& row = report.rows.front();
    fail(problem, "there is nothing to measure: {}, preset {}, devices {}: {}", row.graph, row.preset, row.devices,
         row.why_not);
  }
  compare(report.rows);
  return report;
}

}  // namespace brushfire
