// Is there a way from one vertex to another? Searches until the target is reached and prints a shortest path.
//   path GRAPH FROM TO
#include <brushfire/error.hpp>
#include <brushfire/search.hpp>

#include <cstdlib>
#include <iostream>

int main(int argc, char** argv)
{
  if (argc != 4) {
    std::cerr << "usage: path GRAPH FROM TO\n";
    return 2;
  }
  try {
    brushfire::Label const from = std::atoll(argv[2]), to = std::atoll(argv[3]);
    brushfire::Search search(brushfire::Graph::open(argv[1]));
    search.run(from, {.target = to, .max_depth = {}});
    auto const path = search.path_to(to);
    if (path.empty()) std::cout << "there is no way from " << from << " to " << to;
    for (std::size_t i = 0; i < path.size(); ++i) std::cout << (i == 0 ? "" : " -> ") << path[i];
    std::cout << '\n';
    return 0;
  } catch (const brushfire::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
}
