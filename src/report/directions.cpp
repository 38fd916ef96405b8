// The directions of a level, in one word where one says it all.
#include <brushfire/report.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace brushfire {

std::string human_directions(const Directions& directions, bool plain)
{
  auto const of = [&](Subgraph subgraph) { return name_of(directions[index_of(subgraph)]); };
  bool const agree = std::count(directions.begin(), directions.end(), directions[0]) == subgraph_count;
  if (plain || agree) return of(Subgraph::nn);
  return fmt::format("dd {} dn {} nd {} nn {}", of(Subgraph::dd), of(Subgraph::dn), of(Subgraph::nd), of(Subgraph::nn));
}

}  // namespace brushfire
