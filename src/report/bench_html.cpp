// A bench as a page: a table for each graph in which bars show at a glance who is near the best.
#include "report/bench_text.hpp"
#include "report/page.hpp"

#include <brushfire/bench_report.hpp>

#include <fmt/format.h>

namespace brushfire {

namespace {

// Full for the best, half for one that takes twice as long.
std::string bar(double ratio)
{
  return fmt::format("<div class=\"bar\" style=\"width: {:.1f}%\"></div>", ratio > 1 ? 100 / ratio : 100);
}

std::string line_of(const BenchRow& row)
{
  std::string const start =
      fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td>", escaped(row.preset), row.devices, escaped(row.direction));
  if (!row.ran()) return start + fmt::format("<td colspan=\"8\" title=\"{}\">–</td></tr>\n", escaped(row.why_not));
  return start + fmt::format(
                     "<td title=\"{:.4g} to {:.4g} ms\">{:.4g}</td><td class=\"relative\">{:.2f}{}</td><td>{:.3g}</td>"
                     "<td>{}</td><td>{}</td><td>{}</td><td>{:.4g}</td><td class=\"relative\">{:.2f}{}</td></tr>\n",
                     row.fastest * 1e3, row.slowest * 1e3, row.seconds * 1e3, row.ratio, bar(row.ratio), row.teps / 1e9,
                     human_bytes(row.bytes_sent), row.messages, human_bytes(row.graph_bytes),
                     row.modelled_seconds * 1e3, row.modelled_ratio, bar(row.modelled_ratio));
}

std::string table_of(const GraphReport& graph, const BenchReport& report)
{
  std::string table = fmt::format("<h2>{}</h2>\n", escaped(graph.name));
  if (graph.vertices > 0)
    table += fmt::format("<p class=\"quiet\">{} vertices, {} edges</p>\n", graph.vertices, graph.edges_input);
  table +=
      "<div class=\"wide\"><table>\n<tr><th>preset</th><th>devices</th><th>direction</th><th>ms</th><th>ratio</th>"
      "<th>GTEPS</th><th>bytes</th><th>messages</th><th>memory</th><th>model ms</th><th>ratio</th></tr>\n";
  for (const BenchRow& row : report.rows)
    if (row.graph == graph.name) table += line_of(row);
  table += "</table></div>\n";
  for (const std::string& sentence : bytes_by_paper(graph.name, report))
    table += fmt::format("<p class=\"quiet\">{}</p>\n", escaped(sentence));
  return table;
}

}  // namespace

std::string bench_to_html(const BenchReport& report)
{
  std::string body;
  for (const Shortfall& shortfall : shortfalls_of_auto(report.rows))
    body += fmt::format("<p>{}</p>\n", escaped(sentence_of(shortfall)));
  for (const GraphReport& graph : report.graphs) body += table_of(graph, report);
  body += "<h2>The run</h2>\n<div class=\"wide\"><table class=\"facts\">\n";
  for (auto const& [column, meaning] : explain_columns(report)) body += fact(column, meaning);
  for (const std::string& reason : reasons_of(report)) body += fact("–", reason);
  body += fact("Host", fmt::format("{}, {} cores, {} {}", report.host.cpu, report.host.cores, report.host.ranks,
                                   report.host.ranks == 1 ? "rank" : "ranks"));
  for (const std::string& gpu : report.host.gpus) body += fact("GPU", gpu);
  return page("Brushfire bench: presets side by side", body + "</table></div>\n");
}

}  // namespace brushfire
