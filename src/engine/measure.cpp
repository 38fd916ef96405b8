#include "engine/measure.hpp"

#include "base/error.hpp"
#include "base/memory.hpp"
#include "engine/graph_data.hpp"
#include "engine/parted_graph.hpp"
#include "exchange/job_wire.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace brushfire {

namespace {

// A combination that is ready to search.
struct Entrant {
  std::size_t number;  // of the combination
  Graph graph;
  Search search;
  std::vector<SearchMeans> rounds{};
};

bool same_graph(const GraphOptions& a, const GraphOptions& b)
{
  auto const shape = [](const GraphOptions& options) {
    GridShape const grid = options.grid.value_or(GridShape{0, 0});
    return std::pair(grid.rows, grid.columns);
  };
  return a.preset == b.preset && a.devices == b.devices && a.threshold == b.threshold && shape(a) == shape(b);
}

class GraphMeasuring {
 public:
  GraphMeasuring(const std::string& spec, std::span<const Combination> combinations, const MeasureOptions& options,
                 Progress& progress)
      : spec_(spec), combinations_(combinations), options_(options), progress_(progress)
  {
    measured_.graph.name = spec;
    measured_.measurements.resize(combinations.size());
  }

  MeasuredGraph run()
  {
    while (next_ < combinations_.size()) {
      std::vector<Entrant> entrants = build_together();
      if (entrants.empty()) break;
      if (roots_.empty()) {
        measured_.graph = describe_graph(entrants.front().graph.facts());
        measured_.graph.name = spec_;
        roots_ = random_sources(entrants.front().graph, static_cast<std::size_t>(options_.roots), options_.seed);
      }
      if (roots_.empty()) {
        for (const Entrant& entrant : entrants) result_of(entrant).why_not = "no vertex of this graph has an edge";
        continue;
      }
      warm_up(entrants);
      take_turns(entrants);
    }
    return std::move(measured_);
  }

 private:
  const Combination& combination_of(const Entrant& entrant) const { return combinations_[entrant.number]; }
  Measurement& result_of(const Entrant& entrant) { return measured_.measurements[entrant.number]; }

  // As many of those that wait as the memory holds together; what does not even fit alone gets its reason.
  std::vector<Entrant> build_together()
  {
    std::vector<Entrant> ready;
    // Half of the memory stays free for what searching and validating take in passing.
    std::uint64_t const enough = available_memory_bytes() / 2;
    progress_.begin("building " + spec_, combinations_.size() - next_, "combinations");
    while (next_ < combinations_.size()) {
      if (!ready.empty() && !true_on_all_ranks(available_memory_bytes() >= enough)) break;
      const Combination& combination = combinations_[next_];
      bool const spread = spreads(combination.graph);
      try {
        // A rank that found out alone, while building, would leave the others waiting for it.
        if (spread && !true_on_all_ranks(plan_memory(spec_, combination.graph, combination.search).fits())) {
          if (!ready.empty()) break;
          leave_out("it does not fit the memory of all ranks", ErrorKind::memory);
        } else {
          ready.push_back(prepare(ready));
        }
      } catch (const Error& error) {
        bool const too_large = error.kind() == ErrorKind::memory;
        if (spread || (!too_large && error.kind() != ErrorKind::usage)) throw;
        if (too_large && !ready.empty()) break;
        leave_out(error.what(), error.kind());
      }
      ++next_;
      progress_.advance(1);
    }
    progress_.end();
    return ready;
  }

  void leave_out(const std::string& why, ErrorKind kind)
  {
    measured_.measurements[next_].why_not = why;
    if (kind == ErrorKind::memory) measured_.lacked_memory = true;
  }

  // Combinations that differ in how they search alone share a graph.
  Entrant prepare(const std::vector<Entrant>& ready) const
  {
    const Combination& next = combinations_[next_];
    auto const same = std::find_if(ready.begin(), ready.end(), [&](const Entrant& entrant) {
      return same_graph(combination_of(entrant).graph, next.graph);
    });
    Graph graph = same != ready.end() ? same->graph : Graph::open(spec_, next.graph);
    if (options_.validate && same == ready.end()) graph.verify_stored();
    return {next_, graph, Search(graph, next.search)};
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

  void require_valid(const Entrant& entrant, Label root, const Verdict& verdict) const
  {
    if (verdict.valid()) return;
    const Combination& combination = combination_of(entrant);
    fail(ErrorKind::validation, "validation failed: {}, preset {}, devices {}, direction {}: root {}: {}", spec_,
         name_of(combination.graph.preset), all_devices(combination.graph),
         name_of_direction(combination.search.direction), root, verdict.witness);
  }

  void take_turns(std::vector<Entrant>& entrants)
  {
    auto const rounds = static_cast<std::size_t>(options_.rounds);
    progress_.begin("measuring " + spec_, rounds * entrants.size() * roots_.size(), "searches");
    // In a new order each round, for whoever comes next finds the caches as the one before left them.
    std::vector<Entrant*> order;
    for (Entrant& entrant : entrants) order.push_back(&entrant);
    std::minstd_rand random;
    for (std::size_t round = 0; round < rounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      for (Entrant* entrant : order) entrant->rounds.push_back(search_from_all_roots(*entrant));
    }
    progress_.end();
    for (const Entrant& entrant : entrants) fill_in(result_of(entrant), entrant);
  }

  SearchMeans search_from_all_roots(Entrant& entrant)
  {
    std::vector<SearchReport> searches;
    SearchMeans means;
    auto const count = static_cast<double>(roots_.size());
    auto const add = [&](double& mean, auto number) { mean += static_cast<double>(number) / count; };
    const GraphFacts& facts = entrant.graph.facts();
    int const devices = all_devices(combination_of(entrant).graph);
    auto& by_level = result_of(entrant).checked_by_level;
    by_level.clear();
    for (Label const root : roots_) {
      const SearchReport& search = searches.emplace_back(describe_search(entrant.search.run(root)));
      add(means.seconds, search.seconds);
      add(means.modelled_seconds, modelled_seconds(search.trace, devices, options_.model));
      add(means.volume_seconds, modelled_seconds(search.trace, devices, options_.model.without_messages()));
      if (devices > 1 && !cuts_into_blocks(facts.preset))
        add(means.bytes_by_paper, traffic_by_paper(facts.delegates, devices, levels_with_masks(search.trace),
                                                   facts.entries[index_of(Subgraph::nn)]));
      by_level.resize(std::max(by_level.size(), search.trace.size()));
      for (std::size_t i = 0; i < search.trace.size(); ++i) {
        const LevelRecord& level = search.trace[i];
        add(by_level[i], level.edges_checked);
        add(means.levels, level.levels);
        add(means.edges_checked, level.edges_checked);
        add(means.bytes_sent, level.bytes_sent);
        add(means.messages, level.messages);
        add(means.messages_parents, level.messages_parents);
        add(means.exchange_seconds, level.exchange_seconds);
        add(means.waited_seconds, level.waited_seconds);
      }
      progress_.advance(1);
    }
    means.teps = teps_of(searches).harmonic_mean;
    return means;
  }

  static void fill_in(Measurement& result, const Entrant& entrant)
  {
    auto const over_rounds = [&](double SearchMeans::*number) {
      std::vector<double> sample;
      for (const SearchMeans& round : entrant.rounds) sample.push_back(round.*number);
      return statistics_of(std::move(sample));
    };
    for (auto const number :
         {&SearchMeans::seconds, &SearchMeans::teps, &SearchMeans::modelled_seconds, &SearchMeans::volume_seconds,
          &SearchMeans::levels, &SearchMeans::edges_checked, &SearchMeans::bytes_sent, &SearchMeans::bytes_by_paper,
          &SearchMeans::messages, &SearchMeans::messages_parents, &SearchMeans::exchange_seconds,
          &SearchMeans::waited_seconds})
      result.search.*number = over_rounds(number).median;
    Statistics const seconds = over_rounds(&SearchMeans::seconds);
    result.fastest = seconds.minimum;
    result.slowest = seconds.maximum;
    result.graph = entrant.graph.facts();
  }

  const std::string& spec_;
  std::span<const Combination> combinations_;
  const MeasureOptions& options_;
  Progress& progress_;
  std::size_t next_ = 0;  // the first that waits
  std::vector<Label> roots_;
  MeasuredGraph measured_;
};

}  // namespace

int all_devices(const GraphOptions& options) { return options.devices * (spreads(options) ? job_place().ranks : 1); }

const char* name_of_direction(std::optional<Direction> direction) { return direction ? name_of(*direction) : "auto"; }

MeasuredGraph measure(const std::string& spec, std::span<const Combination> combinations, const MeasureOptions& options,
                      Progress& progress)
{
  return GraphMeasuring(spec, combinations, options, progress).run();
}

}  // namespace brushfire
