// What was planned before anything was allocated, beside what there is.
#include "report/chart.hpp"
#include "report/sections.hpp"

#include <brushfire/units.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace brushfire {

std::string plan_section(const Report& report)
{
  if (!report.plan)
    return "<figure>\n<h3>Memory plan</h3>\n<p class=\"quiet\">Not in this result; --dry-run prints "
           "it.</p>\n</figure>\n";
  const MemoryPlan& plan = *report.plan;
  auto const peak = static_cast<double>(std::max<std::uint64_t>(1, plan.peak_bytes));
  std::vector<Bar> bars;
  Table table{{"what", "bytes", ""}, {}};
  auto const add = [&](const std::string& what, std::uint64_t bytes, Kind kind) {
    double const share = static_cast<double>(bytes) / peak;
    bars.push_back(
        {what,
         human_bytes(bytes),
         {share, fmt::format("{}: {} bytes, {:.3g} % of what is held at most", what, bytes, share * 100), kind}});
    table.rows.push_back({what, fmt::to_string(bytes), human_bytes(bytes)});
  };
  for (const PlannedBytes& item : plan.items)
    if (item.bytes > 0) add(item.what, item.bytes, Kind::pull);
  add("at most at one time", plan.peak_bytes, Kind::plain);
  add("available " + plan.memory, plan.available_bytes, Kind::quiet);
  return figure(
      "Memory plan", bars_of(bars),
      fmt::format("Made before anything was allocated: upper bounds, per {}; not all are held at one time. Bars "
                  "end at what is held at most, also that of what is available.",
                  plan.per()),
      table);
}

}  // namespace brushfire
