// The tables of a paper on a page: what can be compared as bars, below them what the paper has of the same, then all
// columns, and what is to be kept in mind.
#include "report/bench_text.hpp"
#include "report/chart.hpp"
#include "report/page.hpp"
#include "report/sections.hpp"

#include <brushfire/paper_report.hpp>
#include <brushfire/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace brushfire {

namespace {

std::string shown(const std::optional<double>& value, const PaperColumn& column)
{
  if (!value) return "–";
  double const number = *value * column.factor;
  return number >= 1000 ? fmt::format("{:.0f}", number) : fmt::format("{:.3g}", number);
}

// The paper's graphs are others.
std::string name_of(const PaperRow& row, bool of_paper)
{
  auto const varies = row.name.empty() ? "" : ", " + row.name;
  return fmt::format("{} {}{}", of_paper ? "paper, for" : row.graph + " on", row.devices, varies);
}

bool has(const PaperTable& table, std::string_view key)
{
  return std::ranges::count(table.columns, key, &PaperColumn::key) > 0;
}

// What can be compared: whatever the paper has too; where the devices share a machine, what the model says and what was
// counted, for their time is that of taking turns; else the first of all.
bool is_drawn(const PaperTable& table, const PaperColumn& column)
{
  if (column.of_paper || has(table, "paper_" + column.key)) return true;
  if (has(table, "modelled_seconds")) return !column.by_clock;
  return &column == &*std::ranges::find(table.columns, false, &PaperColumn::of_paper);
}

std::string bars_of_column(const PaperTable& table, std::size_t column)
{
  double largest = 0;
  for (const PaperRow& row : table.rows) largest = std::max(largest, row.values[column].value_or(0));
  if (largest <= 0) return "";
  const PaperColumn& what = table.columns[column];
  std::vector<Bar> bars;
  for (const PaperRow& row : table.rows) {
    auto const value = row.values[column];
    if (!value && row.why_not.empty()) continue;
    bars.push_back({name_of(row, what.of_paper), shown(value, what),
                    Mark{value.value_or(0) / largest,
                         value ? fmt::format("{}: {} {}", name_of(row, what.of_paper), what.name, shown(value, what))
                               : row.why_not,
                         !value          ? Kind::quiet
                         : what.of_paper ? Kind::pull
                                         : Kind::plain}});
  }
  return fmt::format("<h4>{}</h4>\n", escaped(what.name)) + bars_of(bars);
}

std::string figure_of(const PaperTable& table)
{
  Table all{{"graph", "devices", ""}, {}};
  for (const PaperColumn& column : table.columns) all.columns.push_back(column.name);
  for (const PaperRow& row : table.rows) {
    auto& cells = all.rows.emplace_back(std::vector<std::string>{row.graph, fmt::to_string(row.devices), row.name});
    for (std::size_t c = 0; c < table.columns.size(); ++c) cells.push_back(shown(row.values[c], table.columns[c]));
  }
  std::string chart;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (is_drawn(table, table.columns[c])) chart += bars_of_column(table, c);
  return figure(table.title, chart, table.source, all);
}

}  // namespace

std::string paper_sections(const PaperReport& report)
{
  std::string text = fmt::format("<p class=\"quiet\">{}</p>\n", escaped(report.citation));
  const PaperTable* before = nullptr;
  for (const PaperTable& table : report.tables) {
    text += figure_of(table);
    // What the table before it has said already is not said again.
    if (before == nullptr || before->says != table.says)
      text += fmt::format("<p>The paper: {}</p>\n", escaped(table.says));
    if (before == nullptr || before->remark != table.remark)
      text += fmt::format("<p>To compare: {}</p>\n", escaped(table.remark));
    before = &table;
  }
  constexpr bool spread = false;
  return text + "<h2>The run</h2>\n" +
         facts(fact("ms", how_measured(report, spread)) + fact("model", sentence_of(report.model)) +
               machine_facts(report.command_line, report.host));
}

std::string paper_to_html(const PaperReport& report)
{
  return page("Brushfire bench beside a paper: " + report.paper, paper_sections(report));
}

}  // namespace brushfire
