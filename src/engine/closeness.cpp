// Closeness from the sizes of levels alone: no distance is kept.
#include "engine/stage_ranges.hpp"

#include <brushfire/applications.hpp>
#include <brushfire/batch_search.hpp>
#include <brushfire/graph.hpp>

#include <algorithm>

namespace brushfire {

std::vector<Closeness> measure_closeness(const Graph& graph, std::span<const Label> vertices,
                                         const ClosenessOptions& options, Progress& shown)
{
  StageRanges progress(shown);
  BatchSearch search(graph, {.threads = options.threads, .device = options.device});
  std::vector<Closeness> sample(vertices.size());
  std::vector<double> distances(vertices.size());  // added up
  progress.begin("searching", vertices.size(), "searches");
  BatchResult const result = search.run(vertices, [&](const BatchLevel& level) {
    if (level.level == 0) return progress.advance(level.found.size());
    for (std::size_t i = 0; i < level.found.size(); ++i) {
      auto const found = static_cast<double>(level.found[i]), distance = static_cast<double>(level.level);
      distances[level.first_source + i] += found * distance;
      sample[level.first_source + i].harmonic += found / distance;
    }
  });
  progress.end();
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const SourceResult& source = result.sources[i];
    sample[i].vertex = source.source;
    sample[i].reached = source.reached;
    sample[i].depth = source.depth;
    if (source.reached < 2) continue;
    auto const others = static_cast<double>(source.reached - 1);
    sample[i].closeness = others / distances[i] * others / static_cast<double>(graph.facts().vertices - 1);
  }
  return sample;
}

}  // namespace brushfire
