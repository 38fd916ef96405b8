// Several runs side by side. Those of one graph on more and more devices show strong scaling, those whose graph grows
// with the devices weak scaling; only runs on the same kind of device, by the same preset, are put in one chart.
#include "report/chart.hpp"
#include "report/page.hpp"
#include "report/sections.hpp"

#include <brushfire/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace brushfire {

namespace {

double speed_of(const Report& run) { return teps_of(run.searches).harmonic_mean; }

std::string name_of_run(const Report& run)
{
  int const devices = run.config.all_devices();
  return fmt::format("{}, {} on {} {}", run.graph.name, run.config.preset, devices, run.config.device);
}

std::string comparison(std::span<const Report> runs)
{
  double best = 0;
  for (const Report& run : runs) best = std::max(best, speed_of(run));
  std::vector<Bar> bars;
  Table table{{"run", "device", "devices", "preset", "searches", "harmonic mean", "min", "median", "max"}, {}};
  for (const Report& run : runs) {
    auto const teps = teps_of(run.searches);
    auto const speed = human_teps(teps.harmonic_mean);
    bars.push_back({name_of_run(run),
                    speed,
                    {best > 0 ? teps.harmonic_mean / best : 0,
                     fmt::format("{}: {}, harmonic mean over {}; min {}, median {}, max {}", name_of_run(run), speed,
                                 counted(run.searches.size(), "searches"), human_teps(teps.minimum),
                                 human_teps(teps.median), human_teps(teps.maximum)),
                     Kind::plain}});
    table.rows.push_back({run.graph.name, run.config.device, fmt::to_string(run.config.all_devices()),
                          run.config.preset, fmt::to_string(run.searches.size()), speed, human_teps(teps.minimum),
                          human_teps(teps.median), human_teps(teps.maximum)});
  }
  return figure("All runs", bars_of(bars), "Harmonic mean of TEPS over the searches of each run.", table);
}

// What runs in one chart have in common; of those on equally many devices the fastest is shown.
using Group = std::tuple<std::string, std::string, std::string>;
using Groups = std::map<Group, std::map<int, const Report*>>;

void add_to(Groups& groups, const std::string& common, const Report& run)
{
  auto& fastest = groups[{run.config.device, run.config.preset, common}][run.config.all_devices()];
  if (fastest == nullptr || speed_of(run) > speed_of(*fastest)) fastest = &run;
}

std::string scaling(const std::string& title, const std::string& caption, const std::map<int, const Report*>& runs)
{
  auto const& [fewest, first] = *runs.begin();
  double const each = speed_of(*first) / fewest;
  Plot plot{{}, each, "devices", "TEPS", {}};
  Table table{{"devices", "graph", "harmonic mean", "speed-up", "efficiency"}, {}};
  for (auto const& [devices, run] : runs) {
    double const speed = speed_of(*run), gain = speed / speed_of(*first), efficiency = speed / (each * devices);
    plot.x_ticks.push_back(devices);
    plot.points.push_back({static_cast<double>(devices), speed,
                           fmt::format("{}, {}: {}, {:.2f} times that of {}, efficiency {:.0f} %",
                                       counted(static_cast<std::uint64_t>(devices), "devices"), run->graph.name,
                                       human_teps(speed), gain, fewest, efficiency * 100),
                           Kind::plain});
    table.rows.push_back({fmt::to_string(devices), run->graph.name, human_teps(speed), fmt::format("{:.2f}", gain),
                          fmt::format("{:.1f} %", efficiency * 100)});
  }
  return figure(title, to_html(plot), caption, table);
}

}  // namespace

std::string comparison_sections(std::span<const Report> runs)
{
  if (runs.size() < 2) return {};
  Groups of_one_graph, of_equal_shares;
  for (const Report& run : runs) {
    if (speed_of(run) <= 0) continue;
    add_to(of_one_graph, run.graph.name, run);
    double const share = static_cast<double>(run.graph.vertices) / run.config.all_devices();
    add_to(of_equal_shares, human_count(share), run);
  }
  std::string text = comparison(runs);
  for (auto const& [group, same] : of_one_graph)
    if (same.size() > 1)
      text +=
          scaling(fmt::format("Strong scaling: {}, {}, {}", std::get<2>(group), std::get<1>(group), std::get<0>(group)),
                  "One graph on more and more devices; the dashed line is as much again from each.", same);
  for (auto const& [group, grown] : of_equal_shares)
    if (grown.size() > 1)
      text += scaling(fmt::format("Weak scaling: {} vertices a device, {}, {}", std::get<2>(group), std::get<1>(group),
                                  std::get<0>(group)),
                      "The graph grows with the devices; the dashed line is as much again from each.", grown);
  return text;
}

}  // namespace brushfire
