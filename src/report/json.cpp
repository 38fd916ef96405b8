// Reports as JSON, schema "brushfire/1". Keys keep the order written here; a value that does not exist
// is null, never a made-up number, and only what nobody asked for (a path, a violation) or what does not apply here
// (a copy to the host, a queue) is left out.
#include "report/json_document.hpp"

#include <brushfire/machine.hpp>
#include <brushfire/report.hpp>

#include <algorithm>

namespace brushfire {

namespace {

template <typename T>
Json or_null(const std::optional<T>& value)
{
  return value ? Json(*value) : Json(nullptr);
}

Json threshold_json(std::uint64_t threshold) { return threshold == plain_threshold ? Json(nullptr) : Json(threshold); }
Json label_json(Label label) { return label == no_label ? Json(nullptr) : Json(label); }

Json config_json(const ConfigReport& config)
{
  Json json = {{"device", config.device},          {"ranks", config.ranks},
               {"devices", config.devices},        {"threads", config.threads},
               {"preset", config.preset},          {"partition", config.partition},
               {"exchange", config.exchange},      {"threshold", or_null(config.threshold)},
               {"delegates", config.delegates},    {"fanout", or_null(config.fanout)},
               {"direction", config.direction},    {"deterministic", config.deterministic},
               {"parent_bits", config.parent_bits}};
  if (config.all_devices() > 1) {
    json["entries_nn"] = config.entries_nn;
    json["subgraph_bytes"] = config.subgraph_bytes;
    json["subgraph_bytes_model"] = config.subgraph_bytes_model;
    json["uniquify"] = config.uniquify;
    json["local_all2all"] = config.local_all2all;
    json["reduce"] = config.reduce;
  }
  if (!config.choice.empty()) json["choice"] = config.choice;
  if (config.grid) json["grid"] = {{"rows", config.grid->rows}, {"columns", config.grid->columns}};
  if (!config.transport.empty()) json["transport"] = config.transport;
  bool const adaptive = config.preset == name_of(Preset::adaptive);
  if (adaptive || config.balance == "lrb") json["balance"] = config.balance;
  if (adaptive) {
    json["frontier"] = config.queue;
    json["async_pull"] = or_null(config.async_pull);
  }
  return json;
}

// One word for a plain graph, which has nn edges only, and where all subgraphs agree; else one per subgraph.
Json directions_json(const Directions& directions, bool plain)
{
  auto const of = [&](Subgraph subgraph) { return name_of(directions[index_of(subgraph)]); };
  bool const agree = std::count(directions.begin(), directions.end(), directions[0]) == subgraph_count;
  if (plain || agree) return of(Subgraph::nn);
  return {{"dd", of(Subgraph::dd)}, {"dn", of(Subgraph::dn)}, {"nd", of(Subgraph::nd)}, {"nn", of(Subgraph::nn)}};
}

// What applies to the levels of a run.
struct LevelShape {
  bool plain = false;    // no delegates
  bool several = false;  // devices
};

Json level_json(const LevelRecord& record, LevelShape shape)
{
  Json json;
  json["level"] = record.level;
  if (record.levels > 1) json["levels"] = record.levels;
  json["direction"] = directions_json(record.directions, shape.plain);
  json["frontier"] = record.frontier;
  json["edges_checked"] = record.edges_checked;
  json["discovered"] = record.discovered;
  json["seconds"] = record.seconds;
  json["bytes_sent"] = record.bytes_sent;
  json["messages"] = record.messages;
  if (shape.several) {
    json["bytes_masks"] = record.bytes_masks;
    json["bytes_vertices"] = record.bytes_vertices;
    json["bytes_parents"] = record.bytes_parents;
    json["messages_parents"] = record.messages_parents;
    json["hidden"] = record.hidden();
  }
  if (record.queue) json["queue"] = name_of(*record.queue);
  if (record.balance) json["balance"] = name_of(*record.balance);
  if (record.async_pull) json["async_pull"] = *record.async_pull;
  return json;
}

Json search_json(const SearchReport& search, LevelShape shape)
{
  Json json = {{"root", search.root},           {"seconds", search.seconds}, {"nedge", search.nedge},
               {"teps", search.teps},           {"reached", search.reached}, {"depth", search.depth},
               {"valid", or_null(search.valid)}};
  if (!search.violation.empty()) json["violation"] = search.violation;
  json["validate_seconds"] = or_null(search.validate_seconds);
  if (search.seconds_to_host) json["seconds_to_host"] = *search.seconds_to_host;
  if (search.path) json["path"] = *search.path;
  json["trace"] = Json::array();
  for (auto const& record : search.trace) json["trace"].push_back(level_json(record, shape));
  return json;
}

// What a search sent, and what the model of Pan, Pearce and Owens allows for it. Parents are not in the model: the
// paper has none.
Json traffic_json(const SearchReport& search, const ConfigReport& config)
{
  LevelRecord sum;
  for (const LevelRecord& record : search.trace) {
    sum.bytes_masks += record.bytes_masks;
    sum.bytes_vertices += record.bytes_vertices;
    sum.bytes_parents += record.bytes_parents;
    sum.messages += record.messages;
    sum.messages_parents += record.messages_parents;
  }
  std::uint64_t const mask_levels = levels_with_masks(search.trace);
  std::optional<std::uint64_t> model;  // of what is sent directly; the other exchanges have none
  if (config.exchange == "direct")
    model = traffic_by_paper(config.delegates, config.all_devices(), mask_levels, config.entries_nn);
  return {{"bytes_masks", sum.bytes_masks},
          {"bytes_vertices", sum.bytes_vertices},
          {"bytes_parents", sum.bytes_parents},
          {"messages", sum.messages},
          {"messages_parents", sum.messages_parents},
          {"mask_levels", mask_levels},
          {"model_bytes", or_null(model)}};
}

Json teps_json(const TepsStatistics& teps)
{
  return {{"harmonic_mean", teps.harmonic_mean},
          {"harmonic_stddev", teps.harmonic_stddev},
          {"min", teps.minimum},
          {"firstquartile", teps.first_quartile},
          {"median", teps.median},
          {"thirdquartile", teps.third_quartile},
          {"max", teps.maximum}};
}

Json energy_json(const EnergyReport& energy)
{
  return {{"joules", energy.joules},    {"seconds", energy.seconds}, {"searches", energy.searches},
          {"edges", energy.edges},      {"watts", energy.watts()},   {"teps_per_watt", energy.teps_per_watt()},
          {"counters", energy.counters}};
}

Json graph500_json(const Graph500Report& graph500)
{
  return {{"scale", graph500.scale},
          {"edgefactor", graph500.edgefactor},
          {"conforming", graph500.conforming},
          {"reasons", graph500.reasons}};
}

Json summary_json(const GraphFacts& facts, const GraphSummary& summary)
{
  auto const entries = [&](Subgraph subgraph) { return facts.entries[index_of(subgraph)]; };
  Json json = {{"directed", facts.directed},
               {"self_loops", facts.self_loops},
               {"isolated", summary.isolated},
               {"smallest_label", label_json(summary.smallest_label)},
               {"largest_label", label_json(summary.largest_label)},
               {"mean_degree", summary.mean_degree},
               {"largest_degree", summary.largest_degree},
               {"largest_degree_vertex", label_json(summary.largest_degree_vertex)},
               {"components", summary.components},
               {"largest_component", summary.largest_component},
               {"suggested_threshold", threshold_json(summary.suggested_threshold)},
               {"threshold", threshold_json(facts.threshold)},
               {"delegates", facts.delegates},
               {"entries",
                {{"dd", entries(Subgraph::dd)},
                 {"dn", entries(Subgraph::dn)},
                 {"nd", entries(Subgraph::nd)},
                 {"nn", entries(Subgraph::nn)}}},
               {"degrees", Json::array()}};
  if (auto const& shared = summary.shared)
    json["shared"] = {{"devices", shared->devices},
                      {"threshold", threshold_json(shared->threshold)},
                      {"delegates", shared->delegates},
                      {"entries_nn", shared->entries_nn},
                      {"bytes_per_search", shared->bytes_per_search},
                      {"subgraph_bytes_model", shared->subgraph_bytes}};
  for (auto const& bucket : summary.degrees)
    json["degrees"].push_back(
        {{"from", bucket.from}, {"to", bucket.to}, {"vertices", bucket.vertices}, {"entries", bucket.entries}});
  return json;
}

Json plan_json(const MemoryPlan& plan)
{
  Json json = {{"graph", plan.graph},
               {"vertices", plan.vertices},
               {"edges", plan.edges},
               {"tuples", plan.tuples},
               {"memory", plan.memory},
               {"ranks", plan.ranks},
               {"devices", plan.devices},
               {"per", plan.per()},
               {"items", Json::array()},
               {"peak_bytes", plan.peak_bytes},
               {"available_bytes", plan.available_bytes},
               {"fits", plan.fits()}};
  for (auto const& item : plan.items) json["items"].push_back({{"what", item.what}, {"bytes", item.bytes}});
  return json;
}

}  // namespace

std::string to_json(const Report& report)
{
  Json json = json_document(report.command, report.command_line);
  json["host"] = host_json(report.host);
  json["graph"] = graph_json(report.graph);
  json["config"] = config_json(report.config);
  if (report.graph500) json["graph500"] = graph500_json(*report.graph500);
  json["searches"] = Json::array();
  LevelShape const shape{!report.config.threshold, report.config.all_devices() > 1};
  for (auto const& search : report.searches) {
    json["searches"].push_back(search_json(search, shape));
    if (shape.several) json["searches"].back()["traffic"] = traffic_json(search, report.config);
  }
  json["teps"] = teps_json(teps_of(report.searches));
  json["memory"] = {{"host_peak_bytes", report.memory.host_peak_bytes}, {"device_bytes", report.memory.device_bytes}};
  if (report.energy) json["energy"] = energy_json(*report.energy);
  if (report.plan) json["plan"] = plan_json(*report.plan);
  return text_of(json);
}

std::string info_to_json(const HostReport& host, const GraphFacts& facts, const GraphSummary& summary,
                         const MemoryPlan& plan)
{
  Json json = json_document("info");
  json["host"] = host_json(host);
  json["graph"] = graph_json(describe_graph(facts));
  json["summary"] = summary_json(facts, summary);
  json["plan"] = plan_json(plan);
  return text_of(json);
}

std::string plan_to_json(const std::string& command, const MemoryPlan& plan)
{
  Json json = json_document(command);
  json["plan"] = plan_json(plan);
  return text_of(json);
}

}  // namespace brushfire
