// Where searches stand against what the memory allows. The bytes of a search are those it cannot do without: 4 for each
// list entry that it looked at, and a parent for every vertex, which clearing alone writes. Row offsets, bits and
// what a cache line brings along unasked are not among them, so no search can stand above the line by much, and how far
// one stands below it is what could be won at most.
#include "report/chart.hpp"
#include "report/sections.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace brushfire {

namespace {

double bytes_of(const SearchReport& search, const Report& report)
{
  constexpr double bytes_per_entry = 4;
  double checked = 0;
  for (const LevelRecord& record : search.trace) checked += static_cast<double>(record.edges_checked);
  return bytes_per_entry * checked + static_cast<double>(report.graph.vertices) * report.config.parent_bits / 8;
}

std::string missing(const std::string& why)
{
  return fmt::format("<figure>\n<h3>Roofline</h3>\n<p class=\"quiet\">Not drawn: {}.</p>\n</figure>\n", why);
}

const char* why_none(const Report& report)
{
  auto const none = [&](auto has) { return std::ranges::none_of(report.searches, has); };
  if (none([](const SearchReport& search) { return !search.trace.empty(); })) return "no search has levels";
  if (none([](const SearchReport& search) { return search.nedge > 0; })) return "no search traversed an edge";
  return "no search has all of levels, edges and a time";
}

}  // namespace

std::string roofline_section(const Report& report)
{
  bool const on_gpu = report.config.device == name_of(Device::cuda);
  auto const bandwidth = on_gpu ? report.host.gpu_memory_bandwidth : report.host.memory_bandwidth;
  if (report.searches.empty()) return {};
  if (report.host.ranks > 1) return missing("the memory of several ranks is not measured");
  if (!bandwidth || *bandwidth <= 0) return missing("the bandwidth of the memory was not measured in this run");

  Plot plot{{}, *bandwidth, "traversed edges per byte", "TEPS", {}};
  Table table{{"root", "TEPS", "bytes", "edges per byte", "GB/s", "share of bandwidth"}, {}};
  for (const SearchReport& search : report.searches) {
    double const bytes = bytes_of(search, report);
    if (search.trace.empty() || search.nedge == 0 || search.teps <= 0 || search.seconds <= 0 || bytes <= 0) continue;
    double const intensity = static_cast<double>(search.nedge) / bytes;
    double const rate = bytes / search.seconds;
    double const share = rate / *bandwidth;
    plot.points.push_back({intensity, search.teps,
                           fmt::format("root {}: {}, {:.3g} edges per byte, {:.3g} GB/s, {:.0f} % of the bandwidth",
                                       search.root, human_teps(search.teps), intensity, rate / 1e9, share * 100),
                           Kind::plain});
    table.rows.push_back({fmt::to_string(search.root), human_teps(search.teps), fmt::format("{:.0f}", bytes),
                          fmt::format("{:.4g}", intensity), fmt::format("{:.4g}", rate / 1e9),
                          fmt::format("{:.1f} %", share * 100)});
  }
  if (plot.points.empty()) return missing(why_none(report));
  return figure("Roofline", to_html(plot),
                fmt::format("The dashed line is what {:.3g} GB/s allow, measured by copying on {}. Bytes: 4 for each "
                            "list entry looked at, and a parent for every vertex.",
                            *bandwidth / 1e9, on_gpu ? "the GPU" : "this host"),
                table);
}

}  // namespace brushfire
