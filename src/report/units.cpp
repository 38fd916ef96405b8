// Counts, rates and directions for people: three significant digits and the unit that keeps the number short, one word
// where one says it all.
#include <brushfire/report.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace brushfire {

std::string human_teps(double teps)
{
  constexpr const char* units[] = {"TEPS", "kTEPS", "MTEPS", "GTEPS", "TTEPS", "PTEPS"};
  int unit = 0;
  // 999.5 would round to 1e+03.
  while (teps >= 999.5 && unit < 5) teps /= 1000, ++unit;
  return fmt::format("{:.3g} {}", teps, units[unit]);
}

std::string human_count(double count)
{
  constexpr const char* units[] = {"", " k", " M", " G", " T", " P"};
  int unit = 0;
  while (count >= 999.5 && unit < 5) count /= 1000, ++unit;
  return fmt::format("{:.3g}{}", count, units[unit]);
}

std::string human_directions(const Directions& directions, bool plain)
{
  auto const of = [&](Subgraph subgraph) { return name_of(directions[index_of(subgraph)]); };
  bool const agree = std::count(directions.begin(), directions.end(), directions[0]) == subgraph_count;
  if (plain || agree) return of(Subgraph::nn);
  return fmt::format("dd {} dn {} nd {} nn {}", of(Subgraph::dd), of(Subgraph::dn), of(Subgraph::nd), of(Subgraph::nn));
}

}  // namespace brushfire
