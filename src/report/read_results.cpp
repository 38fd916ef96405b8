// Reads what json.cpp and bench_json.cpp write. Only what a page cannot do without must be there: files of older
// versions lack the rest, and it keeps its default. Numbers are what they claim to be, or the file is refused.
#include "base/error.hpp"
#include "report/json_document.hpp"
#include "report/json_place.hpp"

#include <brushfire/results.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace brushfire {

namespace {

Direction direction_from(const JsonPlace& place)
{
  auto const name = place.as<std::string>();
  for (Direction const direction : {Direction::push, Direction::pull})
    if (name == name_of(direction)) return direction;
  place.refuse("is neither push nor pull");
}

Directions directions_from(const JsonPlace& place)
{
  Directions directions{};
  if (!place.is_object()) {
    directions.fill(direction_from(place));
    return directions;
  }
  constexpr const char* names[] = {"dd", "dn", "nd", "nn"};
  for (std::size_t kind = 0; kind < subgraph_count; ++kind) directions[kind] = direction_from(place.at(names[kind]));
  return directions;
}

// Nothing for a name that a later version may have added.
template <typename Value>
std::optional<Value> named(const JsonPlace& object, const char* key, std::initializer_list<Value> values)
{
  auto const name = object.maybe<std::string>(key);
  for (Value const value : values)
    if (name == name_of(value)) return value;
  return std::nullopt;
}

LevelRecord level_from(const JsonPlace& place)
{
  LevelRecord record;
  record.level = place.at("level").as<std::int64_t>();
  place.read("levels", record.levels);
  if (record.levels < 1) place.refuse("has no level");
  record.directions = directions_from(place.at("direction"));
  record.frontier = place.at("frontier").as<std::uint64_t>();
  record.edges_checked = place.at("edges_checked").as<std::uint64_t>();
  place.read("discovered", record.discovered);
  record.seconds = place.at("seconds").as<double>();
  place.read("bytes_sent", record.bytes_sent);
  place.read("messages", record.messages);
  place.read("messages_parents", record.messages_parents);
  record.queue =
      named(place, "queue",
            {FrontierQueue::scan_free, FrontierQueue::single_scan, FrontierQueue::double_scan, FrontierQueue::none});
  record.balance = named(place, "balance",
                         {PullBalance::static_shares, PullBalance::thread, PullBalance::warp, PullBalance::donate});
  record.async_pull = place.maybe<bool>("async_pull");
  return record;
}

SearchReport search_from(const JsonPlace& place)
{
  SearchReport search;
  search.root = place.at("root").as<Label>();
  search.seconds = place.at("seconds").as<double>();
  search.nedge = place.at("nedge").as<std::uint64_t>();
  search.teps = place.at("teps").as<double>();
  place.read("reached", search.reached);
  place.read("depth", search.depth);
  search.valid = place.maybe<bool>("valid");
  place.read("violation", search.violation);
  search.validate_seconds = place.maybe<double>("validate_seconds");
  search.seconds_to_host = place.maybe<double>("seconds_to_host");
  for (const JsonPlace& level : place.items("trace")) search.trace.push_back(level_from(level));
  return search;
}

HostReport host_from(const JsonPlace& place)
{
  HostReport host;
  place.read("cpu", host.cpu);
  place.read("cores", host.cores);
  for (const JsonPlace& gpu : place.items("gpus")) host.gpus.push_back(gpu.as<std::string>());
  place.read("ranks", host.ranks);
  host.memory_bandwidth = place.maybe<double>("memory_bandwidth");
  host.gpu_memory_bandwidth = place.maybe<double>("gpu_memory_bandwidth");
  return host;
}

GraphReport graph_from(const JsonPlace& place)
{
  GraphReport graph;
  graph.name = place.at("name").as<std::string>();
  place.read("vertices", graph.vertices);
  place.read("edges_input", graph.edges_input);
  place.read("edges_stored", graph.edges_stored);
  place.read("bytes", graph.bytes);
  place.read("generation_seconds", graph.generation_seconds);
  place.read("construction_seconds", graph.construction_seconds);
  return graph;
}

ConfigReport config_from(const JsonPlace& place)
{
  ConfigReport config;
  place.read("device", config.device);
  place.read("ranks", config.ranks);
  place.read("devices", config.devices);
  place.read("threads", config.threads);
  place.read("preset", config.preset);
  place.read("choice", config.choice);
  place.read("partition", config.partition);
  place.read("exchange", config.exchange);
  config.threshold = place.maybe<std::uint64_t>("threshold");
  place.read("delegates", config.delegates);
  place.read("direction", config.direction);
  place.read("deterministic", config.deterministic);
  place.read("parent_bits", config.parent_bits);
  if (config.ranks < 1 || config.devices < 1) place.refuse("has no device");
  return config;
}

MemoryPlan plan_from(const JsonPlace& place)
{
  MemoryPlan plan;
  plan.graph = place.at("graph").as<std::string>();
  place.read("vertices", plan.vertices);
  place.read("edges", plan.edges);
  place.read("tuples", plan.tuples);
  place.read("memory", plan.memory);
  place.read("ranks", plan.ranks);
  place.read("devices", plan.devices);
  for (const JsonPlace& item : place.items("items"))
    plan.items.push_back({item.at("what").as<std::string>(), item.at("bytes").as<std::uint64_t>()});
  plan.peak_bytes = place.at("peak_bytes").as<std::uint64_t>();
  place.read("available_bytes", plan.available_bytes);
  return plan;
}

Graph500Report graph500_from(const JsonPlace& place)
{
  Graph500Report graph500;
  graph500.scale = place.at("scale").as<int>();
  place.read("edgefactor", graph500.edgefactor);
  place.read("conforming", graph500.conforming);
  for (const JsonPlace& reason : place.items("reasons")) graph500.reasons.push_back(reason.as<std::string>());
  return graph500;
}

EnergyReport energy_from(const JsonPlace& place)
{
  EnergyReport energy;
  energy.joules = place.at("joules").as<double>();
  energy.seconds = place.at("seconds").as<double>();
  energy.searches = place.at("searches").as<std::uint64_t>();
  energy.edges = place.at("edges").as<std::uint64_t>();
  for (const JsonPlace& counter : place.items("counters")) energy.counters.push_back(counter.as<std::string>());
  return energy;
}

Report run_from(const JsonPlace& place)
{
  Report report;
  report.command = place.at("command").as<std::string>();
  place.read("command_line", report.command_line);
  if (auto const host = place.find("host")) report.host = host_from(*host);
  report.graph = graph_from(place.at("graph"));
  report.config = config_from(place.at("config"));
  if (auto const graph500 = place.find("graph500")) report.graph500 = graph500_from(*graph500);
  for (const JsonPlace& search : place.items("searches")) report.searches.push_back(search_from(search));
  if (auto const memory = place.find("memory")) {
    memory->read("host_peak_bytes", report.memory.host_peak_bytes);
    memory->read("device_bytes", report.memory.device_bytes);
  }
  if (auto const energy = place.find("energy")) report.energy = energy_from(*energy);
  if (auto const plan = place.find("plan")) report.plan = plan_from(*plan);
  return report;
}

BenchRow row_from(const JsonPlace& place)
{
  BenchRow row;
  row.graph = place.at("graph").as<std::string>();
  row.preset = place.at("preset").as<std::string>();
  place.read("device", row.device);
  row.devices = place.at("devices").as<int>();
  place.read("direction", row.direction);
  place.read("why_not", row.why_not);
  if (!row.ran()) return row;
  row.seconds = place.at("seconds").as<double>();
  place.read("seconds_min", row.fastest);
  place.read("seconds_max", row.slowest);
  place.read("teps", row.teps);
  place.read("ratio", row.ratio);
  place.read("modelled_seconds", row.modelled_seconds);
  place.read("modelled_ratio", row.modelled_ratio);
  place.read("volume_seconds", row.volume_seconds);
  place.read("volume_ratio", row.volume_ratio);
  place.read("edges_checked", row.edges_checked);
  place.read("bytes_sent", row.bytes_sent);
  place.read("bytes_by_paper", row.bytes_by_paper);
  place.read("messages", row.messages);
  place.read("graph_bytes", row.graph_bytes);
  return row;
}

// What a bench of presets and one of a paper have in common.
template <typename AnyReport>
AnyReport measuring_from(const JsonPlace& place)
{
  AnyReport report;
  place.read("command_line", report.command_line);
  if (auto const host = place.find("host")) report.host = host_from(*host);
  place.read("roots", report.roots);
  place.read("rounds", report.rounds);
  place.read("seed", report.seed);
  report.validated = place.maybe<bool>("valid").value_or(false);
  if (auto const model = place.find("model")) {
    model->read("seconds_per_check", report.model.seconds_per_check);
    model->read("bytes_per_second", report.model.bytes_per_second);
    model->read("seconds_per_message", report.model.seconds_per_message);
  }
  for (const JsonPlace& graph : place.items("graphs")) report.graphs.push_back(graph_from(graph));
  return report;
}

BenchReport bench_from(const JsonPlace& place)
{
  auto report = measuring_from<BenchReport>(place);
  for (const JsonPlace& row : place.items("rows")) report.rows.push_back(row_from(row));
  return report;
}

PaperColumn column_from(const JsonPlace& place)
{
  PaperColumn column;
  column.key = place.at("key").as<std::string>();
  column.name = place.at("name").as<std::string>();
  place.read("factor", column.factor);
  place.read("of_paper", column.of_paper);
  place.read("by_clock", column.by_clock);
  return column;
}

// Older versions did not say what the columns are: they are called by their keys then.
void add_columns_of(const JsonPlace& row, PaperTable& table)
{
  for (bool const of_paper : {false, true})
    for (const std::string& key : row.at(of_paper ? "paper" : "measured").keys())
      table.columns.push_back({key, key, 1, of_paper});
}

PaperReport paper_from(const JsonPlace& place)
{
  auto report = measuring_from<PaperReport>(place);
  report.paper = place.at("paper").as<std::string>();
  place.read("citation", report.citation);
  for (const JsonPlace& table : place.items("tables")) {
    PaperTable& read = report.tables.emplace_back();
    read.title = table.at("title").as<std::string>();
    table.read("source", read.source);
    table.read("paper_says", read.says);
    table.read("comparable", read.remark);
    for (const JsonPlace& column : table.items("columns")) read.columns.push_back(column_from(column));
  }
  for (const JsonPlace& row : place.items("rows")) {
    auto const title = row.at("table").as<std::string>();
    auto const table = std::ranges::find(report.tables, title, &PaperTable::title);
    if (table == report.tables.end()) row.refuse("is of a table that is not there: " + title);
    if (table->columns.empty()) add_columns_of(row, *table);
    PaperRow& read = table->rows.emplace_back();
    read.graph = row.at("graph").as<std::string>();
    row.read("devices", read.devices);
    row.read("name", read.name);
    row.read("why_not", read.why_not);
    for (const PaperColumn& column : table->columns)
      read.values.push_back(row.at(column.of_paper ? "paper" : "measured").maybe<double>(column.key));
  }
  return report;
}

std::string contents_of(const std::filesystem::path& file)
{
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  // A folder can be opened, and fails when it is read.
  if (!stream || !(text << stream.rdbuf()))
    fail(ErrorKind::input, "{}: cannot be read, or is empty; name a result that --json wrote", file.string());
  return text.str();
}

Json parse(const std::filesystem::path& file, const std::string& text)
{
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    auto const before = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    fail(ErrorKind::input, "{}:{}: is not JSON from here on; name a result that --json wrote", file.string(),
         1 + std::count(text.begin(), before, '\n'));
  } catch (const Json::exception&) {  // a number beyond all numbers
    fail(ErrorKind::input, "{}: has a number that is too large; name a result that --json wrote", file.string());
  }
}

}  // namespace

void read_results(const std::filesystem::path& file, Results& results)
{
  Json const json = parse(file, contents_of(file));
  JsonPlace const place(json, file.string());
  if (!place.is_object() || place.maybe<std::string>("schema") != "brushfire/1")
    fail(ErrorKind::input, "{}: is not of the schema \"brushfire/1\"; name a result that --json wrote", file.string());
  if (place.find("searches"))
    results.runs.push_back(run_from(place));
  else if (place.find("paper"))
    results.papers.push_back(paper_from(place));
  else if (place.find("rows"))
    results.benches.push_back(bench_from(place));
  else
    fail(ErrorKind::input, "{}: has neither searches nor rows; name a result of graph500, bfs or bench", file.string());
}

}  // namespace brushfire
