// A report of searches as a page: the headline, TEPS of each root, the levels of one, where it stands against the
// memory, what was planned, the command and the machine. Every text that comes from outside goes through escaped().
#include "report/chart.hpp"
#include "report/page.hpp"
#include "report/sections.hpp"

#include <brushfire/report.hpp>
#include <brushfire/units.hpp>

#include <fmt/format.h>

namespace brushfire {

namespace {

const char* verdict(const SearchReport& search)
{
  if (!search.valid) return "not checked";
  return *search.valid ? "yes" : "NO";
}

std::string headline(const Report& report, const TepsStatistics& teps)
{
  return fmt::format("<p class=\"headline\">{}</p>\n<p class=\"quiet\">harmonic mean over {}</p>\n",
                     human_teps(teps.harmonic_mean), counted(report.searches.size(), "searches"));
}

std::string searches_section(const Report& report, const TepsStatistics& teps)
{
  if (report.searches.empty()) return {};
  std::vector<Mark> marks;
  Table table{{"root", "TEPS", "seconds", "edges", "reached", "depth", "valid"}, {}};
  for (auto const& search : report.searches) {
    marks.push_back(
        {teps.maximum > 0 ? search.teps / teps.maximum : 0,
         fmt::format("root {}: {}, {:.6g} s, {}, reached {}, depth {}", search.root, human_teps(search.teps),
                     search.seconds, counted(search.nedge, "edges"), search.reached, search.depth),
         Kind::plain});
    table.rows.push_back({fmt::to_string(search.root), human_teps(search.teps), fmt::format("{:.6g}", search.seconds),
                          fmt::to_string(search.nedge), fmt::to_string(search.reached), fmt::to_string(search.depth),
                          verdict(search)});
  }
  return figure(
      "TEPS per root",
      columns_of(marks, teps.maximum > 0 ? std::optional(teps.harmonic_mean / teps.maximum) : std::nullopt),
      fmt::format("One bar per root, from 0 to {}; the dashed line is the harmonic mean.", human_teps(teps.maximum)),
      table);
}

std::string run_facts(const Report& report, const TepsStatistics& teps)
{
  auto const& graph = report.graph;
  auto const& config = report.config;
  std::string rows;
  if (report.graph500) {
    auto const& graph500 = *report.graph500;
    rows += fact("Graph500", fmt::format("scale {}, edge factor {}", graph500.scale, graph500.edgefactor));
    rows += fact("Conforming", graph500.conforming ? "yes" : fmt::format("no: {}", fmt::join(graph500.reasons, "; ")));
  }
  rows += fact("TEPS", fmt::format("min {}, median {}, max {}", human_teps(teps.minimum), human_teps(teps.median),
                                   human_teps(teps.maximum)));
  rows += fact("Graph", fmt::format("{}: {}, {}, {}, {}", graph.name, counted(graph.vertices, "vertices"),
                                    counted(graph.edges_input, "input edges"),
                                    counted(graph.edges_stored, "stored entries"), human_bytes(graph.bytes)));
  rows += fact("Prepared", fmt::format("generated in {:.4g} s, constructed in {:.4g} s", graph.generation_seconds,
                                       graph.construction_seconds));
  rows += fact("Layout", config.threshold ? fmt::format("{}, threshold {}, {}", config.partition, *config.threshold,
                                                        counted(config.delegates, "delegates"))
                                          : config.partition);
  rows += fact("Search", fmt::format("{}, preset {}, {}, direction {}, {}-bit parents{}", config.device, config.preset,
                                     counted(static_cast<std::uint64_t>(config.threads), "threads"), config.direction,
                                     config.parent_bits, config.deterministic ? ", deterministic" : ""));
  if (config.all_devices() > 1)
    rows += fact("Devices", fmt::format("{} of {}, exchange {}", config.all_devices(),
                                        counted(static_cast<std::uint64_t>(config.ranks), "ranks"), config.exchange));
  if (report.energy)
    rows += fact("Energy",
                 fmt::format("{} per watt: {:.3g} W, {:.3g} J a search, over {}; by {}",
                             human_teps(report.energy->teps_per_watt()), report.energy->watts(),
                             report.energy->joules / static_cast<double>(report.energy->searches),
                             counted(report.energy->searches, "searches"), fmt::join(report.energy->counters, ", ")));
  rows += fact("Peak memory", human_bytes(report.memory.host_peak_bytes));
  if (report.memory.device_bytes > 0) rows += fact("GPU memory", human_bytes(report.memory.device_bytes));
  return "<h2>The run</h2>\n" + facts(rows + machine_facts(report.command_line, report.host));
}

std::string violations(const Report& report)
{
  std::string lines;
  for (auto const& search : report.searches)
    if (!search.violation.empty())
      lines += fmt::format("<p class=\"bad\">root {}: {}</p>\n", search.root, escaped(search.violation));
  return lines;
}

}  // namespace

std::string machine_facts(const std::string& command_line, const HostReport& host)
{
  std::string rows;
  if (!command_line.empty()) rows += fact("Command", command_line);
  rows += fact(
      "Host", fmt::format("{}, {} cores, {} {}", host.cpu, host.cores, host.ranks, host.ranks == 1 ? "rank" : "ranks"));
  for (auto const& gpu : host.gpus) rows += fact("GPU", gpu);
  if (host.memory_bandwidth)
    rows += fact("Memory", fmt::format("{:.3g} GB/s, by copying", *host.memory_bandwidth / 1e9));
  if (host.gpu_memory_bandwidth)
    rows += fact("GPU memory", fmt::format("{:.3g} GB/s, by copying", *host.gpu_memory_bandwidth / 1e9));
  return rows;
}

std::string run_sections(const Report& report)
{
  auto const teps = teps_of(report.searches);
  return headline(report, teps) + violations(report) + searches_section(report, teps) + levels_section(report) +
         roofline_section(report) + plan_section(report) + run_facts(report, teps);
}

std::string to_html(const Report& report)
{
  return page(fmt::format("Brushfire {}: {}", report.command, report.graph.name), run_sections(report));
}

}  // namespace brushfire
