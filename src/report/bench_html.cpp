// A bench as a page: for each graph and number of devices, presets side by side.
#include "report/bench_text.hpp"
#include "report/chart.hpp"
#include "report/page.hpp"
#include "report/sections.hpp"

#include <brushfire/bench_report.hpp>
#include <brushfire/units.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace brushfire {

namespace {

std::string name_of_row(const BenchRow& row)
{
  return row.direction == "auto" ? row.preset : row.preset + ", " + row.direction;
}

std::vector<const BenchRow*> rows_of(const std::string& graph, int devices, const BenchReport& report)
{
  std::vector<const BenchRow*> rows;
  for (const BenchRow& row : report.rows)
    if (row.graph == graph && row.devices == devices) rows.push_back(&row);
  return rows;
}

Table table_of(const std::vector<const BenchRow*>& rows)
{
  Table table{{"preset", "devices", "direction", "ms", "fastest", "slowest", "ratio", "GTEPS", "bytes", "messages",
               "memory", "model ms", "ratio", "volume ms", "ratio"},
              {}};
  auto const milliseconds = [](double seconds) { return fmt::format("{:.4g}", seconds * 1e3); };
  for (const BenchRow* row : rows) {
    auto& cells =
        table.rows.emplace_back(std::vector<std::string>{row->preset, fmt::to_string(row->devices), row->direction});
    if (row->ran())
      cells.insert(cells.end(),
                   {milliseconds(row->seconds), milliseconds(row->fastest), milliseconds(row->slowest),
                    fmt::format("{:.2f}", row->ratio), fmt::format("{:.3g}", row->teps / 1e9),
                    human_bytes(row->bytes_sent), fmt::to_string(row->messages), human_bytes(row->graph_bytes),
                    milliseconds(row->modelled_seconds), fmt::format("{:.2f}", row->modelled_ratio),
                    milliseconds(row->volume_seconds), fmt::format("{:.2f}", row->volume_ratio)});
    else
      cells.resize(table.columns.size(), "–");
  }
  return table;
}

// Bars of times; devices that share a machine take turns, so several are compared by what the model says too.
std::string times(const std::vector<const BenchRow*>& rows, double BenchRow::*seconds, double BenchRow::*ratio)
{
  double longest = 0;
  for (const BenchRow* row : rows) longest = std::max(longest, row->*seconds);
  std::vector<Bar> bars;
  for (const BenchRow* row : rows) {
    if (!row->ran()) {
      bars.push_back({name_of_row(*row), "–", {0, row->why_not, Kind::quiet}});
      continue;
    }
    bool const own = row->preset == name_of(Preset::automatic);
    bars.push_back(
        {name_of_row(*row),
         fmt::format("{:.4g} ms", row->*seconds * 1e3),
         {longest > 0 ? row->*seconds / longest : 0,
          fmt::format("{}: {:.4g} ms, {:.2f} times the best; measured {:.4g} to {:.4g} ms; {:.3g} GTEPS, {} in {}",
                      name_of_row(*row), row->*seconds * 1e3, row->*ratio, row->fastest * 1e3, row->slowest * 1e3,
                      row->teps / 1e9, human_bytes(row->bytes_sent), counted(row->messages, "messages")),
          own ? Kind::plain : Kind::pull}});
  }
  return bars_of(bars);
}

std::string chart_of(const std::string& graph, int devices, const BenchReport& report)
{
  auto const rows = rows_of(graph, devices, report);
  std::string chart = "<h4>measured</h4>\n" + times(rows, &BenchRow::seconds, &BenchRow::ratio);
  if (devices > 1)
    chart += "<h4>modelled, were each device a machine</h4>\n" +
             times(rows, &BenchRow::modelled_seconds, &BenchRow::modelled_ratio) +
             "<h4>likewise, what is checked and sent alone</h4>\n" +
             times(rows, &BenchRow::volume_seconds, &BenchRow::volume_ratio);
  return figure(fmt::format("{} on {} {}", graph, devices, devices == 1 ? "device" : "devices"), chart,
                "Time of one search: shorter is better.", table_of(rows));
}

std::string graph_section(const GraphReport& graph, const BenchReport& report)
{
  std::string text = fmt::format("<h2>{}</h2>\n", escaped(graph.name));
  if (graph.vertices > 0)
    text += fmt::format("<p class=\"quiet\">{}, {}</p>\n", counted(graph.vertices, "vertices"),
                        counted(graph.edges_input, "edges"));
  std::vector<int> counts;
  for (const BenchRow& row : report.rows)
    if (row.graph == graph.name && std::find(counts.begin(), counts.end(), row.devices) == counts.end())
      counts.push_back(row.devices);
  for (int const devices : counts) text += chart_of(graph.name, devices, report);
  for (const std::string& sentence : bytes_by_paper(graph.name, report))
    text += fmt::format("<p class=\"quiet\">{}</p>\n", escaped(sentence));
  return text;
}

// Of the program's own choice: behind the best by so much, on its worst graph, and by which measure. Readers who
// compare it with the charts must not take what the model gives several devices for a time that was measured.
std::string headline(const BenchReport& report)
{
  auto const shortfalls = shortfalls_of_auto(report.rows);
  std::string text;
  if (!shortfalls.empty()) {
    auto const worst = std::max_element(shortfalls.begin(), shortfalls.end(),
                                        [](const Shortfall& a, const Shortfall& b) { return a.ratio < b.ratio; });
    text += fmt::format(
        "<p class=\"headline\">{:.2f} ×</p>\n<p class=\"quiet\">the best, {}: the program's own choice on {}, where it "
        "is farthest behind</p>\n",
        worst->ratio, measure_of(*worst), counted(static_cast<std::uint64_t>(worst->devices), "devices"));
    if (std::ranges::any_of(shortfalls, [](const Shortfall& shortfall) { return shortfall.devices > 1; }))
      text += "<p class=\"quiet\">Measured time judges one device only; several take turns on what they share.</p>\n";
  }
  for (const Shortfall& shortfall : shortfalls) text += fmt::format("<p>{}</p>\n", escaped(sentence_of(shortfall)));
  return text;
}

}  // namespace

std::string bench_sections(const BenchReport& report)
{
  std::string text = headline(report);
  for (const GraphReport& graph : report.graphs) text += graph_section(graph, report);
  std::string rows;
  for (auto const& [column, meaning] : explain_columns(report)) rows += fact(column, meaning);
  for (const std::string& reason : reasons_of(report)) rows += fact("–", reason);
  return text + "<h2>The run</h2>\n" + facts(rows + machine_facts(report.command_line, report.host));
}

std::string bench_to_html(const BenchReport& report)
{
  return page("Brushfire bench: presets side by side", bench_sections(report));
}

}  // namespace brushfire
