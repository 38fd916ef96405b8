// Three significant digits and the unit that keeps the number short.
#include <brushfire/units.hpp>

#include <fmt/format.h>

namespace brushfire {

std::string human_bytes(std::uint64_t bytes)
{
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 6) value /= 1024, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

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

std::string counted(std::uint64_t count, std::string_view many)
{
  if (count != 1) return fmt::format("{} {}", count, many);
  auto const one = [&](std::string_view ending, std::string_view instead) {
    return fmt::format("1 {}{}", many.substr(0, many.size() - ending.size()), instead);
  };
  if (many.ends_with("vertices")) return one("ices", "ex");
  if (many.ends_with("entries")) return one("ies", "y");
  return many.ends_with("searches") ? one("es", "") : one("s", "");
}

}  // namespace brushfire
