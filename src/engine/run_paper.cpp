// Runs the experiments of a paper: all runs on the same graph are measured side by side, whatever experiment they are
// of, and then put into the tables they belong to.
#include "base/error.hpp"
#include "engine/papers.hpp"
#include "engine/stage_ranges.hpp"

#include <brushfire/bench.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace brushfire {

namespace {

// What became of the runs, in the order of the experiments.
using Outcomes = std::vector<std::vector<Measurement>>;

// Measures all runs on a graph that can run here.
bool measure_graph(const std::string& graph, const std::vector<Experiment>& experiments, const MeasureOptions& how,
                   Progress& progress, PaperReport& report, Outcomes& outcomes)
{
  std::vector<Combination> combinations;
  std::vector<Measurement*> results;
  for (std::size_t e = 0; e < experiments.size(); ++e)
    for (std::size_t r = 0; r < experiments[e].runs.size(); ++r) {
      const PaperRun& run = experiments[e].runs[r];
      if (run.graph != graph) continue;
      combinations.push_back(run.combination);
      results.push_back(&outcomes[e][r]);
    }
  MeasuredGraph measured = measure(graph, combinations, how, progress);
  for (std::size_t i = 0; i < results.size(); ++i) *results[i] = std::move(measured.measurements[i]);
  report.graphs.push_back(std::move(measured.graph));
  return measured.lacked_memory;
}

PaperTable heading_of(const Experiment& experiment)
{
  return {experiment.title, experiment.source, experiment.says, experiment.remark, {}, {}};
}

PaperTable table_by_run(const Experiment& experiment, const std::vector<Measurement>& outcomes)
{
  PaperTable table = heading_of(experiment);
  for (const OurColumn& ours : experiment.ours) table.columns.push_back(ours.column);
  table.columns.insert(table.columns.end(), experiment.theirs.begin(), experiment.theirs.end());
  std::map<std::string, const Measurement*> first;  // by graph
  for (std::size_t r = 0; r < outcomes.size(); ++r) {
    const PaperRun& run = experiment.runs[r];
    const Measurement& outcome = outcomes[r];
    PaperRow row{run.graph, all_devices(run.combination.graph), run.name, {}, outcome.why_not};
    if (outcome.ran()) first.try_emplace(run.graph, &outcome);
    for (const OurColumn& ours : experiment.ours)
      row.values.push_back(outcome.ran() ? std::optional(ours.value(outcome, *first.at(run.graph))) : std::nullopt);
    row.values.insert(row.values.end(), run.theirs.begin(), run.theirs.end());
    row.values.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The runs are columns here, all on the same graph and as many devices; the last row is their sum.
PaperTable table_by_level(const Experiment& experiment, const std::vector<Measurement>& outcomes)
{
  PaperTable table = heading_of(experiment);
  std::size_t levels = experiment.theirs_by_level.size();
  for (const PaperRun& run : experiment.runs) table.columns.push_back({run.name, run.name});
  for (const PaperRun& run : experiment.runs)
    table.columns.push_back({"paper_" + run.name, "paper's " + run.name, 1, true});
  for (const Measurement& outcome : outcomes) levels = std::max(levels, outcome.checked_by_level.size());

  const PaperRun& any = experiment.runs.front();
  auto const row_named = [&](std::string name) {
    return PaperRow{any.graph, all_devices(any.combination.graph), std::move(name), {}, {}};
  };
  PaperRow sum = row_named("all");
  sum.values.resize(table.columns.size());
  for (std::size_t level = 0; level < levels; ++level) {
    PaperRow row = row_named(fmt::format("level {}", level));
    for (const Measurement& outcome : outcomes) {
      bool const known = outcome.ran() && level < outcome.checked_by_level.size();
      row.values.push_back(known ? std::optional(outcome.checked_by_level[level]) : std::nullopt);
    }
    if (level < experiment.theirs_by_level.size())
      row.values.insert(row.values.end(), experiment.theirs_by_level[level].begin(),
                        experiment.theirs_by_level[level].end());
    row.values.resize(table.columns.size());
    for (std::size_t c = 0; c < row.values.size(); ++c)
      if (row.values[c]) sum.values[c] = sum.values[c].value_or(0) + *row.values[c];
    table.rows.push_back(std::move(row));
  }
  for (const Measurement& outcome : outcomes)
    if (!outcome.ran()) sum.why_not = outcome.why_not;
  table.rows.push_back(std::move(sum));
  return table;
}

PaperTable tabulate(const Experiment& experiment, const std::vector<Measurement>& outcomes)
{
  return experiment.theirs_by_level.empty() ? table_by_run(experiment, outcomes) : table_by_level(experiment, outcomes);
}

void require_sense(const PaperOptions& options)
{
  auto const require_some = [](const std::optional<int>& number, const char* what) {
    if (number && *number < 1) fail(ErrorKind::usage, "a bench needs at least one {}", what);
  };
  require_some(options.roots, "root");
  require_some(options.rounds, "round");
  if (options.scale && (*options.scale < smallest_paper_scale || *options.scale > largest_paper_scale))
    fail(ErrorKind::usage, "the scale of a paper's graphs is {} to {}, not {}", smallest_paper_scale,
         largest_paper_scale, *options.scale);
}

}  // namespace

PaperReport run_paper(Preset paper, const PaperOptions& options, Progress& shown)
{
  StageRanges progress(shown);
  constexpr int usual_roots = 4, usual_rounds = 3;
  Device const device = choose_device(options.graph.device);
  require_sense(options);
  PaperReport report;
  report.paper = name_of(paper);
  report.host = describe_host();
  report.model = options.model.value_or(model_of(device));
  report.roots = options.roots.value_or(usual_roots);
  report.rounds = options.rounds.value_or(usual_rounds);
  report.seed = options.seed;
  report.validated = options.validate;

  Combination base{options.graph, options.search};
  base.graph.device = base.search.device = device;
  base.graph.preset = base.search.preset = paper;
  Paper const plan = paper_of(paper, options.scale.value_or(usual_scale(paper)), base);
  report.citation = plan.citation;

  std::vector<std::string> graphs;
  Outcomes outcomes;
  for (const Experiment& experiment : plan.experiments) {
    outcomes.emplace_back(experiment.runs.size());
    for (const PaperRun& run : experiment.runs)
      if (std::find(graphs.begin(), graphs.end(), run.graph) == graphs.end()) graphs.push_back(run.graph);
  }
  MeasureOptions const how{report.roots, report.rounds, options.seed, options.validate, report.model};
  ErrorKind problem = ErrorKind::usage;  // should nothing run
  for (const std::string& graph : graphs)
    if (measure_graph(graph, plan.experiments, how, progress, report, outcomes)) problem = ErrorKind::memory;

  auto const none_ran = [](const std::vector<Measurement>& runs) {
    return std::none_of(runs.begin(), runs.end(), [](const Measurement& run) { return run.ran(); });
  };
  if (std::all_of(outcomes.begin(), outcomes.end(), none_ran))
    fail(problem, "there is nothing to measure: {}: {}", graphs.front(), outcomes.front().front().why_not);
  for (std::size_t e = 0; e < outcomes.size(); ++e) report.tables.push_back(tabulate(plan.experiments[e], outcomes[e]));
  return report;
}

}  // namespace brushfire
