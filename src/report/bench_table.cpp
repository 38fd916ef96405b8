// A bench as text: a table for each graph, what its columns mean, and why some rows have none.
#include "report/bench_text.hpp"

#include <brushfire/bench_report.hpp>
#include <brushfire/units.hpp>

#include <fmt/format.h>

namespace brushfire {

namespace {

std::string milliseconds(double seconds, int digits = 4) { return fmt::format("{:.{}g}", seconds * 1e3, digits); }

std::string line_of(const BenchRow& row)
{
  std::string const start = fmt::format("  {:<9} {:>7} {:<9}", row.preset, row.devices, row.direction);
  if (!row.ran()) return start + "        –\n";
  return start + fmt::format(" {:>8} {:>15} {:>5.2f} {:>8.3g} {:>9} {:>8} {:>9} {:>8} {:>5.2f} {:>9} {:>5.2f}\n",
                             milliseconds(row.seconds),
                             milliseconds(row.fastest, 3) + "-" + milliseconds(row.slowest, 3), row.ratio,
                             row.teps / 1e9, human_bytes(row.bytes_sent), row.messages, human_bytes(row.graph_bytes),
                             milliseconds(row.modelled_seconds, 3), row.modelled_ratio,
                             milliseconds(row.volume_seconds, 3), row.volume_ratio);
}

std::string table_of(const GraphReport& graph, const BenchReport& report)
{
  std::string text = graph.name;
  if (graph.vertices > 0)
    text += fmt::format(": {}, {}", counted(graph.vertices, "vertices"), counted(graph.edges_input, "edges"));
  text += fmt::format("\n  {:<9} {:>7} {:<9} {:>8} {:>15} {:>5} {:>8} {:>9} {:>8} {:>9} {:>8} {:>5} {:>9} {:>5}\n",
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
