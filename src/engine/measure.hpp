// Measures combinations of options on one graph, side by side: they are all built first and then take turns in rounds,
// in each of which every one of them searches from the same roots. Each round begins with another of them, so that
// whatever else the machine does hits all alike. What does not fit the memory together is measured in groups.
#pragma once

#include <brushfire/bench_report.hpp>
#include <brushfire/graph.hpp>
#include <brushfire/progress.hpp>
#include <brushfire/search.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace brushfire {

struct Combination {
  GraphOptions graph;
  SearchOptions search;
};

int all_devices(const GraphOptions& options);  // of all ranks
const char* name_of_direction(std::optional<Direction> direction);

struct MeasureOptions {
  int roots = 4;
  int rounds = 5;
  std::uint64_t seed = 1;
  bool validate = true;  // the searches of a round before the others
  TimeModel model{};
};

// What one search was like: the mean over those of a round, or over the rounds the median.
struct SearchMeans {
  double seconds = 0, teps = 0;                     // of the rates the harmonic mean
  double modelled_seconds = 0, volume_seconds = 0;  // as in BenchRow
  double levels = 0, edges_checked = 0, bytes_sent = 0;
  double bytes_by_paper = 0;                        // as in BenchRow
  double messages = 0, messages_parents = 0;        // of the levels, and for parents at the end
  double exchange_seconds = 0, waited_seconds = 0;  // as in LevelRecord
};

struct Measurement {
  std::string why_not{};  // it did not run; empty: it did, and the rest is known
  SearchMeans search{};
  double fastest = 0, slowest = 0;         // of the rounds, seconds
  std::vector<double> checked_by_level{};  // in the last round; a level that some roots do not have counts as empty
  GraphFacts graph{};
  bool ran() const { return why_not.empty(); }
};

struct MeasuredGraph {
  GraphReport graph;                      // of one that could not be built, only its name
  std::vector<Measurement> measurements;  // one for each combination
  bool lacked_memory = false;
};

// Throws Error(validation) when a search broke a rule.
MeasuredGraph measure(const std::string& spec, std::span<const Combination> combinations, const MeasureOptions& options,
                      Progress& progress);

}  // namespace brushfire
