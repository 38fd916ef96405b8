// A report of searches as a page: the headline, a bar for each root, every search, the levels of one. Every text that
// comes from outside goes through escaped().
#include "report/page.hpp"

#include <brushfire/report.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace brushfire {

namespace {

const char* verdict(const SearchReport& search)
{
  if (!search.valid) return "not checked";
  return *search.valid ? "yes" : "NO";
}

// Stretched to the width of the page, which is why the chart has no text of its own: the caption has it.
std::string chart(const Report& report, const TepsStatistics& teps)
{
  if (teps.maximum <= 0) return {};
  constexpr double height = 100;
  auto const scaled = [&](double value) { return std::clamp(value / teps.maximum, 0.0, 1.0) * height; };
  std::string svg = fmt::format(
      "<figure>\n<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"TEPS per root\">\n",
      report.searches.size(), height);
  for (std::size_t i = 0; i < report.searches.size(); ++i) {
    auto const& search = report.searches[i];
    double const tall = scaled(search.teps);
    svg += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"0.8\" height=\"{:.2f}\"><title>root {}: {}, {:.6g} s</title></rect>\n",
        static_cast<double>(i) + 0.1, height - tall, tall, search.root, human_teps(search.teps), search.seconds);
  }
  double const mean = height - scaled(teps.harmonic_mean);
  svg += fmt::format("<line x1=\"0\" x2=\"{}\" y1=\"{:.2f}\" y2=\"{:.2f}\"/>\n</svg>\n", report.searches.size(), mean,
                     mean);
  return svg + fmt::format(
                   "<figcaption>One bar per root, from 0 to {}; the dashed line is the harmonic mean.</figcaption>\n"
                   "</figure>\n",
                   human_teps(teps.maximum));
}

std::string facts_table(const Report& report, const TepsStatistics& teps)
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
  rows += fact("Graph", fmt::format("{}: {} vertices, {} input edges, {} stored entries, {}", graph.name,
                                    graph.vertices, graph.edges_input, graph.edges_stored, human_bytes(graph.bytes)));
  rows += fact("Prepared", fmt::format("generated in {:.4g} s, constructed in {:.4g} s", graph.generation_seconds,
                                       graph.construction_seconds));
  rows += fact("Layout", config.threshold ? fmt::format("{}, threshold {}, {} delegates", config.partition,
                                                        *config.threshold, config.delegates)
                                          : config.partition);
  rows += fact("Search", fmt::format("{}, preset {}, {} threads, direction {}, {}-bit parents{}", config.device,
                                     config.preset, config.threads, config.direction, config.parent_bits,
                                     config.deterministic ? ", deterministic" : ""));
  rows += fact("Host", fmt::format("{}, {} cores", report.host.cpu, report.host.cores));
  for (auto const& gpu : report.host.gpus) rows += fact("GPU", gpu);
  rows += fact("Peak memory", human_bytes(report.memory.host_peak_bytes));
  if (report.memory.device_bytes > 0) rows += fact("GPU memory", human_bytes(report.memory.device_bytes));
  return "<div class=\"wide\"><table class=\"facts\">\n" + rows + "</table></div>\n";
}

std::string search_table(const Report& report)
{
  std::string table =
      "<div class=\"wide\"><table>\n<tr><th>root</th><th>TEPS</th><th>seconds</th><th>edges</th><th>reached</th>"
      "<th>depth</th><th>valid</th></tr>\n";
  for (auto const& search : report.searches)
    table +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{:.6g}</td><td>{}</td><td>{}</td><td>{}</td><td{}>{}</td></tr>\n",
                    search.root, human_teps(search.teps), search.seconds, search.nedge, search.reached, search.depth,
                    search.valid.value_or(true) ? "" : " class=\"bad\"", verdict(search));
  return table + "</table></div>\n";
}

// Level by level, the search in the middle of all by speed.
std::string level_table(const Report& report)
{
  std::vector<const SearchReport*> searches;
  for (auto const& search : report.searches) searches.push_back(&search);
  if (searches.empty()) return {};
  auto const middle = searches.begin() + static_cast<std::ptrdiff_t>(searches.size() / 2);
  std::nth_element(searches.begin(), middle, searches.end(), [](auto* a, auto* b) { return a->teps < b->teps; });
  SearchReport const& search = **middle;
  if (search.trace.empty()) return {};

  auto const any = [&](auto applies) { return std::any_of(search.trace.begin(), search.trace.end(), applies); };
  bool const queues = any([](const LevelRecord& record) { return record.queue.has_value(); });
  bool const balances = any([](const LevelRecord& record) { return record.balance.has_value(); });
  std::string table = fmt::format(
      "<h2>Levels of root {}, the median search</h2>\n<div class=\"wide\"><table>\n<tr><th>level</th>"
      "<th>frontier</th><th>edges checked</th><th>discovered</th><th>ms</th><th>direction</th>{}{}</tr>\n",
      search.root, queues ? "<th>queue</th>" : "", balances ? "<th>balance</th>" : "");
  for (auto const& record : search.trace) {
    auto const levels = record.levels == 1 ? fmt::to_string(record.level)
                                           : fmt::format("{}–{}", record.level, record.level + record.levels - 1);
    table += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.4g}</td><td>{}</td>", levels,
                         record.frontier, record.edges_checked, record.discovered, record.seconds * 1e3,
                         human_directions(record.directions, !report.config.threshold));
    if (queues) table += fmt::format("<td>{}</td>", record.queue ? name_of(*record.queue) : "");
    if (balances)
      table += fmt::format("<td>{}{}</td>", record.balance ? name_of(*record.balance) : "",
                           record.async_pull.value_or(false) ? ", async" : "");
    table += "</tr>\n";
  }
  return table + "</table></div>\n";
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

std::string to_html(const Report& report)
{
  auto const teps = teps_of(report.searches);
  return page(fmt::format("Brushfire {}: {}", report.command, report.graph.name),
              fmt::format("<p class=\"headline\">{}</p>\n<p class=\"quiet\">harmonic mean over {} {}</p>\n",
                          human_teps(teps.harmonic_mean), report.searches.size(),
                          report.searches.size() == 1 ? "search" : "searches") +
                  violations(report) + chart(report, teps) + "<h2>The run</h2>\n" + facts_table(report, teps) +
                  "<h2>Every search</h2>\n" + search_table(report) + level_table(report));
}

}  // namespace brushfire
