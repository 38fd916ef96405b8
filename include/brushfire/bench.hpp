// `brushfire bench`: graphs, presets, numbers of devices and directions side by side, in one run; or the experiments of
// a paper, repeated in shape.
#pragma once

#include <brushfire/bench_report.hpp>
#include <brushfire/graph.hpp>
#include <brushfire/paper_report.hpp>
#include <brushfire/progress.hpp>
#include <brushfire/search.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

struct BenchOptions {
  std::vector<std::string> graphs;  // as Graph::open() takes them
  std::vector<Preset> presets{all_presets.begin(), all_presets.end()};
  std::vector<int> devices{1, 4, 16};  // in each rank
  std::vector<std::optional<Direction>> directions{std::nullopt};
  int roots = 4;   // of each graph
  int rounds = 5;  // in each, every combination searches from every root
  std::uint64_t seed = 1;
  bool validate = true;  // the searches of a round before the others
  GraphOptions graph;    // what is the same for all; device, preset and devices are set for each
  SearchOptions search;
  std::optional<TimeModel> model{};  // nothing: that of the device
};

// The standard set, minutes on two cores, and one that takes less than a minute.
BenchOptions standard_bench();
BenchOptions quick_bench();

// Throws Error(validation) when a search broke a rule. A combination that cannot run, or does not fit the memory, is a
// row that says why; when none can, that is an error.
BenchReport run_bench(const BenchOptions& options, Progress& progress = Progress::none());

struct PaperOptions {
  std::optional<int> scale{};            // of the largest Kronecker graph; nothing: minutes at most on two cores
  std::optional<int> roots{}, rounds{};  // nothing: few
  std::uint64_t seed = 1;
  bool validate = true;
  GraphOptions graph;  // device, threads, spread; the rest is the paper's
  SearchOptions search;
  std::optional<TimeModel> model{};
};
inline constexpr int smallest_paper_scale = 8, largest_paper_scale = 40;

// The experiments of the paper that a preset is named after, on virtual devices of this machine, beside its own
// figures. Throws Error(usage) when this device cannot search by it.
PaperReport run_paper(Preset paper, const PaperOptions& options, Progress& progress = Progress::none());

}  // namespace brushfire
#pragma GCC visibility pop
