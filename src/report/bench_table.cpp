// A bench as text: a table for each graph, what its columns mean, and why some rows have none.
#include "report/bench_text.hpp"

#include <brushfire/bench_report.hpp>
#include <brushfire/units.hpp>

#include <fmt/format.h>

namespace brushfire {

namespace {

std::string milliseconds(double seconds) { return fmt::format("{:.4g}", seconds * 1e3); }

std::string line_of(const BenchRow& row)
{
  std::string const start = fmt::format("  {:<10} {:>7} {:<9}", row.preset, row.devices, row.direction);
  if (!row.ran()) return start + "         –\n";
  return start + fmt::format(" {:>9} {:>15} {:>6.2f} {:>8.3g} {:>10} {:>9} {:>10} {:>9} {:>6.2f} {:>9} {:>6.2f}\n",
                             milliseconds(row.seconds),
                             fmt::format("{}-{}", milliseconds(row.fastest), milliseconds(row.slowest)), row.ratio,
                             row.teps / 1e9, human_bytes(row.bytes_sent), row.messages, human_bytes(row.graph_bytes),
                             milliseconds(row.modelled_seconds), row.modelled_ratio, milliseconds(row.volume_seconds),
                             row.volume_ratio);
}

std::string table_of(const GraphReport& graph, const BenchReport& report)
{
  std::string text = graph.name;
  if (graph.vertices > 0)
    text += fmt::format(": {}, {}", counted(graph.vertices, "vertices"), counted(graph.edges_input, "edges"));
  text += fmt::format("\n  {:<10} {:>7} {:<9} {:>9} {:>15} {:>6} {:>8} {:>10} {:>9} {:>10} {:>9} {:>6} {:>9} {:>6}\n",
                      "preset", "devices", "direction", "ms", "range", "ratio", "GTEPS", "bytes", "messages", "memory",
                      "model ms", "ratio", "volume ms", "ratio");
  for (const BenchRow& row : report.rows)
    if (row.graph == graph.name) text += line_of(row);
  for (const std::string& sentence : bytes_by_paper(graph.name, report)) text += "  " + sentence + "\n";
  return text + "\n";
}

}  // namespace

std::string bench_table(const BenchReport& report)
{
  std::string text;
  for (const GraphReport& graph : report.graphs) text += table_of(graph, report);
  for (auto const& [column, meaning] : explain_columns(report)) text += fmt::format("{:<9} {}\n", column, meaning);
  for (const std::string& reason : reasons_of(report)) text += fmt::format("–         {}\n", reason);
  for (const Shortfall& shortfall : shortfalls_of_auto(report.rows)) text += sentence_of(shortfall) + "\n";
  return text;
}

}  // namespace brushfire
