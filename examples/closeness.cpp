// Which vertices are nearest to all others? Searches from a random sample, 64 at a time, and keeps no distance: how
// many vertices each level found is enough. brushfire::measure_closeness() does the same; this is how it is done.
//   closeness GRAPH SAMPLE
#include <brushfire/batch_search.hpp>
#include <brushfire/error.hpp>
#include <brushfire/search.hpp>

#include <cstdlib>
#include <iostream>
#include <vector>

int main(int argc, char** argv)
{
  if (argc != 3 || std::atoll(argv[2]) < 1) {
    std::cerr << "usage: closeness GRAPH SAMPLE\n";
    return 2;
  }
  try {
    brushfire::Graph const graph = brushfire::Graph::open(argv[1]);
    auto const sample = brushfire::random_sources(graph, static_cast<std::size_t>(std::atoll(argv[2])), 1);
    std::vector<double> distances(sample.size());
    brushfire::BatchSearch search(graph);
    auto const result = search.run(sample, [&](const brushfire::BatchLevel& level) {
      for (std::size_t i = 0; i < level.found.size(); ++i)
        distances[level.first_source + i] += static_cast<double>(level.found[i]) * static_cast<double>(level.level);
    });
    for (std::size_t i = 0; i < sample.size(); ++i)
      std::cout << sample[i] << " reaches " << result.sources[i].reached << " vertices, on average "
                << distances[i] / static_cast<double>(result.sources[i].reached - 1) << " edges away\n";
    return 0;
  } catch (const brushfire::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
}
