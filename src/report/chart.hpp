// Charts of HTML and CSS, with SVG for nothing but lines: the browser lays them out to any width, so labels stay
// readable on a phone. A mark shows its numbers below the chart while it is pointed at or after a tap, without a
// script; and whatever a chart shows stands in its table too. Texts come as they are and are escaped here.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace brushfire {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};
std::string to_html(const Table& table);  // scrolls by itself where it is too wide

// What a mark is about decides its colour; the names are classes of the page's style.
enum class Kind { plain, push, pull, mixed, quiet };

struct Mark {
  double share = 0;     // of the height, or of the width; what is outside of 0...1 is cut off
  std::string numbers;  // shown while it is pointed at
  Kind kind = Kind::plain;
};
// Side by side, rising from a common ground, with a dashed line at a share of the height.
std::string columns_of(std::span<const Mark> marks, std::optional<double> line = std::nullopt);
// One behind the other, each as wide as its share of all; texts stand in those that have room.
std::string strip_of(std::span<const Mark> marks, std::span<const std::string> texts);

struct Bar {
  std::string label;
  std::string value;
  Mark mark;
};
std::string bars_of(std::span<const Bar> bars);

// A plot with two logarithmic axes, in which what is proportional is a straight line.
struct Point {
  double x = 1, y = 1;  // positive
  std::string numbers;
  Kind kind = Kind::plain;
};
struct Plot {
  std::vector<Point> points;
  double slope = 0;  // a line y = slope * x; 0: none
  std::string x_unit, y_unit;
  std::vector<double> x_ticks{};  // empty: chosen by what there is
};
std::string to_html(const Plot& plot);

std::string legend_of(std::span<const Kind> kinds);
// The chart with its title, a sentence on how to read it, and its table.
std::string figure(std::string_view title, const std::string& chart, std::string_view caption, const Table& table);

}  // namespace brushfire
