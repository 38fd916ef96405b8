// How far apart can two vertices be? Bounds of the diameter of the largest component, and a path that long.
//   diameter GRAPH
#include <brushfire/applications.hpp>
#include <brushfire/error.hpp>
#include <brushfire/search.hpp>

#include <iostream>

int main(int argc, char** argv)
{
  if (argc != 2) {
    std::cerr << "usage: diameter GRAPH\n";
    return 2;
  }
  try {
    brushfire::Graph const graph = brushfire::Graph::open(argv[1]);
    auto const bounds = brushfire::bound_diameter(graph);
    std::cout << "between " << bounds.lower << " and " << bounds.upper << " edges:";
    brushfire::Search search(graph);
    search.run(bounds.from);
    for (brushfire::Label const vertex : search.path_to(bounds.to)) std::cout << ' ' << vertex;
    std::cout << '\n';
    return 0;
  } catch (const brushfire::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
}
