// Which vertices hang together? Prints the components of a graph by size, and which one each of some vertices is in.
//   components GRAPH [VERTEX...]
#include <brushfire/applications.hpp>
#include <brushfire/error.hpp>
#include <brushfire/graph.hpp>

#include <cstdlib>
#include <iostream>

int main(int argc, char** argv)
{
  if (argc < 2) {
    std::cerr << "usage: components GRAPH [VERTEX...]\n";
    return 2;
  }
  try {
    brushfire::Graph const graph = brushfire::Graph::open(argv[1]);
    brushfire::Components const found = brushfire::find_components(graph);
    std::cout << found.components.size() << " components\n";
    for (auto const& size : brushfire::sizes_of(found.components))
      std::cout << size.components << " of " << size.vertices << " vertices\n";
    for (int i = 2; i < argc; ++i) {
      auto const vertex = graph.find(std::atoll(argv[i]));
      if (vertex) std::cout << argv[i] << " is in the component of " << graph.label(found.of[*vertex]) << '\n';
    }
    return 0;
  } catch (const brushfire::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
}
