// brushfire info: what a graph is like, how it would be laid out, and what it takes.
#include "command.hpp"
#include "options.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "tables.hpp"

#include <brushfire/graph.hpp>
#include <brushfire/report.hpp>
#include <brushfire/search.hpp>

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace brushfire::cli {

namespace {

struct InfoOptions {
  std::string graph;
  EngineOptions engine;
  ResultOptions results;
  MessageOptions messages;
};

double percent(std::uint64_t part, std::uint64_t whole)
{
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string threshold_name(std::uint64_t threshold)
{
  return threshold == plain_threshold ? "none" : fmt::to_string(threshold);
}

constexpr double notable_nn_percent = 10;  // of the entries

std::string layout_text(const GraphFacts& facts, const GraphSummary& summary)
{
  std::string text = fmt::format("threshold       {}", threshold_name(facts.threshold));
  if (facts.threshold == summary.suggested_threshold)
    text += " (suggested)\n";
  else
    text += fmt::format(" (suggested: {})\n", threshold_name(summary.suggested_threshold));
  auto const of = [&](Subgraph subgraph) { return percent(facts.entries[index_of(subgraph)], facts.edges_stored); };
  text += fmt::format("delegates       {} = {:.2f} % of the vertices\n", facts.delegates,
                      percent(facts.delegates, facts.vertices));
  text += fmt::format("entries         dd {:.2f} %, dn {:.2f} %, nd {:.2f} %, nn {:.2f} %\n", of(Subgraph::dd),
                      of(Subgraph::dn), of(Subgraph::nd), of(Subgraph::nn));
  if (facts.delegates > 0 && of(Subgraph::nn) >= notable_nn_percent)
    text += fmt::format("                nn entries are {:.0f} % or more of all: try a --threshold lower than {}\n",
                        notable_nn_percent, facts.threshold);
  if (auto const& shared = summary.shared) {
    double const nn = percent(shared->entries_nn, facts.edges_stored);
    text += fmt::format("{:<16}threshold {}: {} = {:.2f} % of the vertices, nn {:.2f} %, {} sent per search\n",
                        fmt::format("{} devices", shared->devices), threshold_name(shared->threshold),
                        counted(shared->delegates, "delegates"), percent(shared->delegates, facts.vertices), nn,
                        human_bytes(shared->bytes_per_search));
    text +=
        fmt::format("                subgraphs of {} by {}\n", human_bytes(shared->subgraph_bytes), table_of_subgraphs);
    if (nn >= notable_nn_percent)
      text += fmt::format(
          "                nn entries are {:.0f} % or more of all: what devices send each other grows with "
          "them\n",
          notable_nn_percent);
  }
  return text;
}

std::string info_text(const GraphFacts& facts, const GraphSummary& summary)
{
  bool const empty = facts.vertices == 0;
  auto const kind =
      facts.directed ? "directed: push follows out-neighbours, pull follows the stored transpose" : "undirected";
  auto const labels = empty ? "none" : fmt::format("{} to {}", summary.smallest_label, summary.largest_label);
  auto const hub = empty ? "" : fmt::format(" (vertex {})", summary.largest_degree_vertex);
  std::string text = fmt::format("graph           {}, {}\n", facts.name, kind);
  text += fmt::format("vertices        {}, {} of them isolated, labels {}\n", facts.vertices, summary.isolated, labels);
  text += fmt::format("input edges     {}, {} of them self-loops\n", facts.edges_input, facts.self_loops);
  text += fmt::format("stored entries  {} in {}\n", facts.edges_stored, human_bytes(facts.bytes));
  text += fmt::format("degrees         mean {:.4g}, largest {}{}\n", summary.mean_degree, summary.largest_degree, hub);
  text +=
      fmt::format("components      {}, the largest has {} vertices\n", summary.components, summary.largest_component);
  text += layout_text(facts, summary);
  text += fmt::format("\n{:>24} {:>14} {:>16}\n", "degree", "vertices", "entries");
  for (auto const& bucket : summary.degrees) {
    auto const range =
        bucket.from == bucket.to ? fmt::to_string(bucket.from) : fmt::format("{}-{}", bucket.from, bucket.to);
    text += fmt::format("{:>24} {:>14} {:>16}\n", range, bucket.vertices, bucket.entries);
  }
  return text;
}

int run_info(const InfoOptions& options)
{
  auto graph_options = options.engine.graph();
  int const devices = std::exchange(graph_options.devices, 1);  // it is looked at in one piece
  if (options.results.dry_run) return print_plan("info", plan_memory(options.graph, graph_options), options.results);
  require_outputs({options.results.json}, {options.graph});

  StageProgress progress(options.messages);
  Graph const graph = Graph::open(options.graph, graph_options, progress);
  graph.verify_stored();
  auto const summary = graph.summary(devices, graph_options.threshold);
  auto const plan = plan_of(graph, devices);
  progress.hide();
  if (options.results.text()) fmt::print("{}\n{}", info_text(graph.facts(), summary), plan_table(plan));
  if (!options.results.json.empty())
    options.results.write_json(info_to_json(describe_host(), graph.facts(), summary, plan));
  return 0;
}

}  // namespace

void add_info(CLI::App& program, Run& run)
{
  auto const options = std::make_shared<InfoOptions>();
  auto& command = *program.add_subcommand("info", "sizes, degrees, components, layout and memory of a graph");
  command.add_option("GRAPH", options->graph, "a file or a generator")->type_name("")->required();
  add_directed(command, options->engine);
  add_build_options(command, options->engine);
  add_devices(command, options->engine);
  add_json(command, options->results);
  add_dry_run(command, options->results);
  add_message_options(command, options->messages);
  command.footer("Example: brushfire info roads.mtx.gz");
  command.callback([options, &run] { run = [options] { return run_info(*options); }; });
}

}  // namespace brushfire::cli
