// The small search behind `brushfire plan`: the delegates preset on CPU devices of this process, which check and send
// what devices of their own would.
#include "base/error.hpp"
#include "build/kronecker_degrees.hpp"

#include <brushfire/forecast.hpp>
#include <brushfire/search.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace brushfire {

namespace {

constexpr int sample_scale = 16;  // a second or two on two cores
constexpr std::size_t sample_roots = 8;
constexpr std::uint64_t sample_seed = 1;

// Of the masks of d delegates a device sends one up and one down for every other.
void add_search(std::vector<SampleLevel>& levels, const GraphFacts& graph, const std::vector<LevelRecord>& trace)
{
  double const others = graph.devices - 1;
  auto const bytes_of_masks = static_cast<double>(graph.delegates) / 4 * others;
  auto const bytes_of_nn =
      4 * static_cast<double>(graph.entries[index_of(Subgraph::nn)]) * others / static_cast<double>(graph.devices);
  double checked = 0;
  for (const LevelRecord& record : trace) checked += static_cast<double>(record.edges_checked);
  auto const share = [](std::uint64_t part, double whole) { return whole > 0 ? static_cast<double>(part) / whole : 0; };
  levels.resize(std::max(levels.size(), trace.size()));
  for (std::size_t i = 0; i < trace.size(); ++i) {
    levels[i].work += share(trace[i].edges_checked, checked) / sample_roots;
    levels[i].mask_exchanges += share(trace[i].bytes_masks, bytes_of_masks) / sample_roots;
    levels[i].far_entries += share(trace[i].bytes_vertices, bytes_of_nn) / sample_roots;
    levels[i].parent_bytes += share(trace[i].bytes_parents, static_cast<double>(graph.vertices)) / sample_roots;
    levels[i].messages += share(trace[i].most_messages, others) / sample_roots;
  }
}

}  // namespace

Sample take_sample(int devices, Progress& progress)
{
  Sample sample{
      .scale = sample_scale, .devices = std::min(devices, most_sample_devices), .roots = sample_roots, .levels = {}};
  GraphOptions how;
  how.device = Device::cpu;
  how.preset = Preset::delegates;
  how.devices = sample.devices;
  Graph const graph = Graph::open(fmt::format("kron:{}", sample_scale), how, progress);
  SearchOptions options;
  options.device = Device::cpu;
  options.preset = Preset::delegates;
  options.results_on_host = false;
  Search search(graph, options);
  const GraphFacts& facts = graph.facts();
  for (Label const root : random_sources(graph, sample_roots, sample_seed)) {
    SearchResult const result = search.run(root);
    std::vector<LevelRecord> const trace = result.trace->records();
    add_search(sample.levels, facts, trace);
    for (const LevelRecord& record : trace)
      sample.entries_checked +=
          static_cast<double>(record.edges_checked) / static_cast<double>(facts.vertices) / sample_roots;
  }
  if (sample.devices > 1)
    sample.normal_entries = static_cast<double>(facts.entries[index_of(Subgraph::nn)]) /
                            separation_at(facts.threshold, expected_kronecker_degrees(sample_scale, 16)).normal_entries;
  return sample;
}

}  // namespace brushfire
