// A bench, one graph after the other. All combinations of a graph are built first and then measured in rounds, in each
// of which every one of them searches from the same roots; each round begins with another of them, so that whatever
// else the machine does hits all alike. What does not fit the memory together is measured in groups.
#include "base/error.hpp"
#include "base/memory.hpp"
#include "engine/graph_data.hpp"
#include "engine/open.hpp"
#include "engine/parted_graph.hpp"
#include "exchange/job_wire.hpp"

#include <brushfire/bench.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace brushfire {

namespace {

struct Combination {
  GraphOptions graph;
  SearchOptions search;
  std::size_t row = 0;  // of the report
};

// What the searches of a round were like, mean over the roots.
struct RoundMeans {
  double seconds = 0, teps = 0, modelled_seconds = 0, edges_checked = 0, bytes_sent = 0, messages = 0;
};

// A combination that is ready to search.
struct Entrant {
  const Combination* combination;
  Graph graph;
  Search search;
  std::vector<RoundMeans> rounds{};
};

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
  for (auto graph = options.graphs.begin(); graph != options.graphs.end(); ++graph) {
    if (std::find(options.graphs.begin(), graph, *graph) != graph)
      fail(ErrorKind::usage, "{}: is named twice; name every graph once", *graph);
    // Nobody should measure for minutes first: a generator, or a file that is not there, is refused at once.
    std::error_code ignored;
    if (!std::filesystem::exists(*graph, ignored)) open_tuples(*graph, Team::of(1), Progress::none());
  }
}

int all_devices(const GraphOptions& options) { return options.devices * (spreads(options) ? job_place().ranks : 1); }

const char* name_of_direction(std::optional<Direction> direction) { return direction ? name_of(*direction) : "auto"; }

// The rows of a graph, and of those that can run what they ask for; rows that are compared stand together.
std::vector<Combination> plan_rows(const std::string& spec, const BenchOptions& options, BenchReport& report)
{
  Device const device = choose_device(options.graph.device);
  std::vector<Combination> combinations;
  for (int const devices : options.devices)
    for (Preset const preset : options.presets)
      for (auto const direction : options.directions) {
        Combination next{options.graph, options.search, report.rows.size()};
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
        row.why_not = why_not_by(preset, device, row.devices);
        // A search would not say so, and push.
        if (row.ran() && preset == Preset::ring && direction == Direction::pull) row.why_not = "it only pushes";
        if (row.ran()) combinations.push_back(next);
      }
  return combinations;
}

class GraphBench {
 public:
  GraphBench(const std::string& spec, const BenchOptions& options, BenchReport& report, Progress& progress)
      : spec_(spec), options_(options), report_(report), progress_(progress)
  {
  }

  void run()
  {
    GraphReport& graph = report_.graphs.emplace_back();
    graph.name = spec_;
    auto const combinations = plan_rows(spec_, options_, report_);
    for (std::span waiting(combinations); !waiting.empty();) {
      std::vector<Entrant> entrants = build_together(waiting);
      if (entrants.empty()) break;
      if (roots_.empty()) {
        graph = describe_graph(entrants.front().graph.facts());
        graph.name = spec_;
        roots_ = random_sources(entrants.front().graph, static_cast<std::size_t>(options_.roots), options_.seed);
      }
      if (roots_.empty()) {
        for (const Entrant& entrant : entrants) row_of(entrant).why_not = "no vertex of this graph has an edge";
        continue;
      }
      warm_up(entrants);
      measure(entrants);
    }
  }

  bool lacked_memory() const { return lacked_memory_; }

 private:
  BenchRow& row_of(const Entrant& entrant) { return report_.rows[entrant.combination->row]; }

  // As many of those that wait as the memory holds together; what does not even fit alone gets its reason.
  std::vector<Entrant> build_together(std::span<const Combination>& waiting)
  {
    std::vector<Entrant> ready;
    // Half of the memory stays free for what searching and validating take in passing.
    std::uint64_t const enough = available_memory_bytes() / 2;
    progress_.begin("building " + spec_, waiting.size(), "combinations");
    while (!waiting.empty()) {
      if (!ready.empty() && !true_on_all_ranks(available_memory_bytes() >= enough)) break;
      const Combination& next = waiting.front();
      bool const spread = spreads(next.graph);
      try {
        // A rank that found out alone, while building, would leave the others waiting for it.
        if (spread && !true_on_all_ranks(plan_memory(spec_, next.graph, next.search).fits())) {
          if (!ready.empty()) break;
          leave_out(next, "it does not fit the memory of all ranks", ErrorKind::memory);
        } else {
          ready.push_back(prepare(next, ready));
        }
      } catch (const Error& error) {
        bool const too_large = error.kind() == ErrorKind::memory;
        if (spread || (!too_large && error.kind() != ErrorKind::usage)) throw;
        if (too_large && !ready.empty()) break;
        leave_out(next, error.what(), error.kind());
      }
      waiting = waiting.subspan(1);
      progress_.advance(1);
    }
    progress_.end();
    return ready;
  }

  void leave_out(const Combination& combination, const std::string& why, ErrorKind kind)
  {
    report_.rows[combination.row].why_not = why;
    if (kind == ErrorKind::memory) lacked_memory_ = true;
  }

  // Combinations that differ in their direction alone share a graph.
  Entrant prepare(const Combination& next, const std::vector<Entrant>& ready) const
  {
    auto const same = std::find_if(ready.begin(), ready.end(), [&](const Entrant& entrant) {
      const GraphOptions& other = entrant.combination->graph;
      return other.preset == next.graph.preset && other.devices == next.graph.devices;
    });
    Graph graph = same != ready.end() ? same->graph : Graph::open(spec_, next.graph);
    if (options_.validate && same == ready.end()) graph.verify_stored();
    return {&next, graph, Search(graph, next.search)};
  }

  // A round that is not counted, in which every search is judged.
  void warm_up(std::vector<Entrant>& entrants)
  {
    progress_.begin((options_.validate ? "validating " : "warming up ") + spec_, entrants.size() * roots_.size(),
                    "searches");
    for (Entrant& entrant : entrants)
      for (Label const root : roots_) {
        entrant.search.run(root);
        if (options_.validate) require_valid(entrant, root, entrant.search.validate());
        progress_.advance(1);
      }
    progress_.end();
  }

  void require_valid(const Entrant& entrant, Label root, const Verdict& verdict)
  {
    if (verdict.valid()) return;
    const BenchRow& row = row_of(entrant);
    fail(ErrorKind::validation, "validation failed: {}, preset {}, devices {}, direction {}: root {}: {}", row.graph,
         row.preset, row.devices, row.direction, root, verdict.witness);
  }

  void measure(std::vector<Entrant>& entrants)
  {
    auto const rounds = static_cast<std::size_t>(options_.rounds);
    progress_.begin("measuring " + spec_, rounds * entrants.size() * roots_.size(), "searches");
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < entrants.size(); ++i) {
        std::size_t const first = round * entrants.size() / rounds;
        Entrant& entrant = entrants[(first + i) % entrants.size()];
        entrant.rounds.push_back(search_from_all_roots(entrant));
      }
    progress_.end();
    for (const Entrant& entrant : entrants) fill_in(row_of(entrant), entrant);
  }

  RoundMeans search_from_all_roots(Entrant& entrant)
  {
    std::vector<SearchReport> searches;
    RoundMeans sums;
    for (Label const root : roots_) {
      const SearchReport& search = searches.emplace_back(describe_search(entrant.search.run(root)));
      sums.seconds += search.seconds;
      sums.modelled_seconds += modelled_seconds(search.trace, row_of(entrant).devices, report_.model);
      for (const LevelRecord& level : search.trace) {
        sums.edges_checked += static_cast<double>(level.edges_checked);
        sums.bytes_sent += static_cast<double>(level.bytes_sent);
        sums.messages += static_cast<double>(level.messages);
      }
      progress_.advance(1);
    }
    auto const count = static_cast<double>(roots_.size());
    return {sums.seconds / count,       teps_of(searches).harmonic_mean, sums.modelled_seconds / count,
            sums.edges_checked / count, sums.bytes_sent / count,         sums.messages / count};
  }

  static void fill_in(BenchRow& row, const Entrant& entrant)
  {
    auto const over_rounds = [&](double RoundMeans::*number) {
      std::vector<double> sample;
      for (const RoundMeans& round : entrant.rounds) sample.push_back(round.*number);
      return statistics_of(std::move(sample));
    };
    auto const count = [&](double RoundMeans::*number) {
      return static_cast<std::uint64_t>(std::llround(over_rounds(number).median));
    };
    Statistics const seconds = over_rounds(&RoundMeans::seconds);
    row.seconds = seconds.median;
    row.fastest = seconds.minimum;
    row.slowest = seconds.maximum;
    row.teps = over_rounds(&RoundMeans::teps).median;
    row.modelled_seconds = over_rounds(&RoundMeans::modelled_seconds).median;
    row.edges_checked = count(&RoundMeans::edges_checked);
    row.bytes_sent = count(&RoundMeans::bytes_sent);
    row.messages = count(&RoundMeans::messages);
    row.graph_bytes = entrant.graph.facts().bytes;
  }

  const std::string& spec_;
  const BenchOptions& options_;
  BenchReport& report_;
  Progress& progress_;
  std::vector<Label> roots_;
  bool lacked_memory_ = false;
};

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
  return options;
}

BenchReport run_bench(const BenchOptions& options, Progress& progress)
{
  require_sense(options);
  BenchReport report;
  report.host = describe_host();
  report.model = options.model.value_or(model_of(choose_device(options.graph.device)));
  report.roots = options.roots;
  report.rounds = options.rounds;
  report.seed = options.seed;
  report.validated = options.validate;
  ErrorKind problem = ErrorKind::usage;  // should nothing run
  for (const std::string& spec : options.graphs) {
    GraphBench bench(spec, options, report, progress);
    bench.run();
    if (bench.lacked_memory()) problem = ErrorKind::memory;
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
