// The tables of a paper as text: measured columns, then those of the paper, and below them what the paper says and what
// can be compared.
#include "report/bench_text.hpp"

#include <brushfire/paper_report.hpp>
#include <brushfire/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace brushfire {

namespace {

constexpr std::size_t line_width = 120;

// Counts in full, the rest with three digits.
std::string shown(const std::optional<double>& value, double factor)
{
  if (!value) return "-";
  double const number = *value * factor;
  return number >= 1000 ? fmt::format("{:.0f}", number) : fmt::format("{:.3g}", number);
}

std::string wrapped(const std::string& start, const std::string& text)
{
  std::string const indent(start.size(), ' ');
  std::string result, line = start;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > line_width) {
      result += line + "\n";
      line = indent;
    }
    line += " " + word;
  }
  return result + line + "\n";
}

using Cells = std::vector<std::string>;

std::string aligned(const std::vector<Cells>& lines)
{
  constexpr std::size_t words = 3;  // graph, devices, what varies: these begin at the left
  std::vector<std::size_t> widths(lines.front().size());
  for (const Cells& cells : lines)
    for (std::size_t c = 0; c < cells.size(); ++c) widths[c] = std::max(widths[c], cells[c].size());
  std::string text;
  for (const Cells& cells : lines) {
    for (std::size_t c = 0; c < cells.size(); ++c)
      text += c < words ? fmt::format("  {:<{}}", cells[c], widths[c]) : fmt::format("  {:>{}}", cells[c], widths[c]);
    text += "\n";
  }
  return text;
}

// What the table before it, if any, has said already is not said again.
std::string text_of(const PaperTable& table, const PaperTable* before)
{
  std::vector<Cells> lines{{"graph", "devices", ""}};
  for (const PaperColumn& column : table.columns) lines.front().push_back(column.name);
  std::vector<std::string> reasons;
  for (const PaperRow& row : table.rows) {
    Cells& cells = lines.emplace_back(Cells{row.graph, std::to_string(row.devices), row.name});
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      cells.push_back(shown(row.values[c], table.columns[c].factor));
    if (!row.why_not.empty()) reasons.push_back(fmt::format("{}: {}", row.name, row.why_not));
  }
  std::string text = fmt::format("{} ({})\n{}", table.title, table.source, aligned(lines));
  for (const std::string& reason : reasons) text += wrapped("  -", reason);
  if (!before || before->says != table.says) text += wrapped("  the paper:", table.says);
  if (!before || before->remark != table.remark) text += wrapped("  to compare:", table.remark);
  return text + "\n";
}

}  // namespace

std::string paper_table(const PaperReport& report)
{
  std::string text = fmt::format("{}: {}\n\n", report.paper, report.citation);
  for (std::size_t i = 0; i < report.tables.size(); ++i)
    text += text_of(report.tables[i], i > 0 ? &report.tables[i - 1] : nullptr);
  constexpr bool spread = false;
  text += wrapped("ms", how_measured(report, spread));
  text += wrapped("model:", sentence_of(report.model));
  return text;
}

}  // namespace brushfire
