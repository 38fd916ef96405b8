// No mark is positioned: what it shows while it is pointed at is placed by the chart around all of them, always at the
// same place and never outside of the page.
#include "report/chart.hpp"

#include "report/page.hpp"

#include <brushfire/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace brushfire {

namespace {

const char* name_of(Kind kind)
{
  constexpr const char* names[] = {"plain", "push", "pull", "mixed", "quiet"};
  return names[static_cast<std::size_t>(kind)];
}

double percent(double share) { return std::clamp(share, 0.0, 1.0) * 100; }

// Focusable, so that a tap shows it, and not a stop of the tabulator: there may be hundreds, and there is the table.
std::string marked(std::string_view style, const std::string& inside, const std::string& numbers)
{
  return fmt::format("<span class=\"mark\" tabindex=\"-1\"{}>{}<span class=\"tip\">{}</span></span>\n",
                     style.empty() ? "" : fmt::format(" style=\"{}\"", style), inside, escaped(numbers));
}

std::string row_of_marks(std::string_view name, std::size_t count)
{
  constexpr std::size_t many = 80;  // gaps between them would take more room than they do on a phone
  return fmt::format("<div class=\"{}{}\">\n", name, count > many ? " many" : "");
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;

  void hold(double value)
  {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void widen(double factor)
  {
    low /= factor;
    high *= factor;
  }
  double share(double value) const { return std::log(value / low) / std::log(high / low); }
  bool holds(double value) const { return value >= low * 0.999 && value <= high * 1.001; }
};

// Powers of ten where there are enough of them, else 1, 2 and 5 times them.
std::vector<double> ticks_in(const Range& range)
{
  if (!(range.low > 0) || !std::isfinite(range.high)) return {};
  std::vector<double> tens, all;
  for (double ten = std::pow(10, std::floor(std::log10(range.low))); ten <= range.high; ten *= 10)
    for (int const factor : {1, 2, 5}) {
      if (!range.holds(factor * ten)) continue;
      all.push_back(factor * ten);
      if (factor == 1) tens.push_back(ten);
    }
  return tens.size() >= 3 ? tens : all;
}

std::string tick(std::string_view axis, double share, const std::string& text)
{
  auto const place = axis == "x" ? fmt::format("margin-left: {:.2f}%", percent(share))
                                 : fmt::format("margin-bottom: calc(var(--tall) * {:.4f})", percent(share) / 100);
  return fmt::format("<span class=\"tick {}\" style=\"{}\">{}</span>\n", axis, place, escaped(text));
}

}  // namespace

std::string to_html(const Table& table)
{
  std::string text = "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"table\"><table>\n<tr>";
  for (const std::string& column : table.columns) text += fmt::format("<th scope=\"col\">{}</th>", escaped(column));
  text += "</tr>\n";
  for (auto const& row : table.rows) {
    text += "<tr>";
    for (const std::string& cell : row) text += fmt::format("<td>{}</td>", escaped(cell));
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string columns_of(std::span<const Mark> marks, std::optional<double> line)
{
  std::string text = row_of_marks("columns", marks.size());
  for (const Mark& mark : marks)
    text += marked(
        "", fmt::format("<i class=\"{}\" style=\"height: {:.2f}%\"></i>", name_of(mark.kind), percent(mark.share)),
        mark.numbers);
  text += "</div>\n";
  if (line) text += fmt::format("<b class=\"line\" style=\"--at: {:.4f}\"></b>\n", percent(*line) / 100);
  return text;
}

std::string strip_of(std::span<const Mark> marks, std::span<const std::string> texts)
{
  std::string text = row_of_marks("strip", marks.size());
  for (std::size_t i = 0; i < marks.size(); ++i)
    text += marked(fmt::format("flex-grow: {:.4f}", percent(marks[i].share)),
                   fmt::format("<i class=\"{}\">{}</i>", name_of(marks[i].kind), escaped(texts[i])), marks[i].numbers);
  return text + "</div>\n";
}

std::string bars_of(std::span<const Bar> bars)
{
  std::string text = "<div class=\"bars\">\n";
  for (const Bar& bar : bars)
    text += marked("",
                   fmt::format("<span class=\"label\">{}</span><span class=\"track\"><i class=\"{}\" style=\"width: "
                               "{:.2f}%\"></i></span><span class=\"value\">{}</span>",
                               escaped(bar.label), name_of(bar.mark.kind), percent(bar.mark.share), escaped(bar.value)),
                   bar.mark.numbers);
  return text + "</div>\n";
}

std::string to_html(const Plot& plot)
{
  Range x, y;
  for (const Point& point : plot.points) {
    x.hold(point.x);
    y.hold(point.y);
    if (plot.slope > 0) y.hold(plot.slope * point.x);
  }
  x.widen(1.5);
  y.widen(1.5);
  std::string text = "<div class=\"xy\">\n";
  if (plot.slope > 0) {
    auto const height = [&](double at) { return 100 - 100 * y.share(plot.slope * at); };
    text += fmt::format(
        "<svg viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><line x1=\"0\" x2=\"100\" "
        "y1=\"{:.2f}\" y2=\"{:.2f}\"/></svg>\n",
        height(x.low), height(x.high));
  }
  for (double const at : plot.x_ticks.empty() ? ticks_in(x) : plot.x_ticks)
    text += tick("x", x.share(at), human_count(at));
  for (double const at : ticks_in(y)) text += tick("y", y.share(at), human_count(at) + plot.y_unit);
  for (const Point& point : plot.points)
    text += marked(fmt::format("margin-left: {:.2f}%; margin-bottom: calc(var(--tall) * {:.4f})",
                               percent(x.share(point.x)), percent(y.share(point.y)) / 100),
                   fmt::format("<i class=\"{}\"></i>", name_of(point.kind)), point.numbers);
  return text + fmt::format("</div>\n<p class=\"x unit\">{}</p>\n", escaped(plot.x_unit));
}

std::string legend_of(std::span<const Kind> kinds)
{
  std::string text = "<p class=\"legend\">";
  for (Kind const kind : kinds) text += fmt::format("<span><i class=\"{0}\"></i>{0}</span>", name_of(kind));
  return text + "</p>\n";
}

std::string figure(std::string_view title, const std::string& chart, std::string_view caption, const Table& table)
{
  return fmt::format(
      "<figure>\n<h3>{0}</h3>\n<div class=\"plot\" role=\"img\" aria-label=\"{0}. {1}\">\n{2}</div>\n"
      "<figcaption>{1}</figcaption>\n<details><summary>Table</summary>\n{3}</details>\n</figure>\n",
      escaped(title), escaped(caption), chart, to_html(table));
}

}  // namespace brushfire
