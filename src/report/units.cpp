// Rates for people: three significant digits and the unit that keeps the number short.
#include <brushfire/report.hpp>

#include <fmt/format.h>

namespace brushfire {

std::string human_teps(double teps)
{
  constexpr const char* units[] = {"TEPS", "kTEPS", "MTEPS", "GTEPS", "TTEPS", "PTEPS"};
  int unit = 0;
  // 999.5 would round to 1e+03.
  while (teps >= 999.5 && unit < 5) teps /= 1000, ++unit;
  return fmt::format("{:.3g} {}", teps, units[unit]);
}

}  // namespace brushfire
