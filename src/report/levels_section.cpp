// What each level of the median search did: how long it took, what it expanded, looked at and sent. Of a long search
// many levels share a record: its bars are as high as their mean, for a sum would stand out among single levels.
#include "report/chart.hpp"
#include "report/sections.hpp"

#include <brushfire/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace brushfire {

namespace {

std::string name_of_levels(const LevelRecord& record)
{
  return record.levels == 1 ? fmt::to_string(record.level)
                            : fmt::format("{}–{}", record.level, record.level + record.levels - 1);
}

Kind kind_of(const LevelRecord& record, bool plain)
{
  std::string const directions = human_directions(record.directions, plain);
  if (directions == name_of(Direction::push)) return Kind::push;
  return directions == name_of(Direction::pull) ? Kind::pull : Kind::mixed;
}

std::string numbers_of(const LevelRecord& record, bool plain)
{
  return fmt::format(
      "{} {}: {}, {:.4g} ms, frontier {}, {}, {} discovered, {} sent", record.levels == 1 ? "level" : "sum of levels",
      name_of_levels(record), human_directions(record.directions, plain), record.seconds * 1e3, record.frontier,
      counted(record.edges_checked, "edges") + " checked", record.discovered, human_bytes(record.bytes_sent));
}

Table table_of(const SearchReport& search, bool plain)
{
  auto const any = [&](auto applies) { return std::any_of(search.trace.begin(), search.trace.end(), applies); };
  bool const queues = any([](const LevelRecord& record) { return record.queue.has_value(); });
  bool const balances = any([](const LevelRecord& record) { return record.balance.has_value(); });
  Table table{{"level", "frontier", "edges checked", "discovered", "ms", "bytes sent", "messages", "direction"}, {}};
  if (queues) table.columns.emplace_back("queue");
  if (balances) table.columns.emplace_back("balance");
  for (const LevelRecord& record : search.trace) {
    auto& row = table.rows.emplace_back(std::vector<std::string>{
        name_of_levels(record), fmt::to_string(record.frontier), fmt::to_string(record.edges_checked),
        fmt::to_string(record.discovered), fmt::format("{:.4g}", record.seconds * 1e3),
        fmt::to_string(record.bytes_sent), fmt::to_string(record.messages + record.messages_parents),
        human_directions(record.directions, plain)});
    if (queues) row.emplace_back(record.queue ? name_of(*record.queue) : "");
    if (balances)
      row.push_back(fmt::format("{}{}", record.balance ? name_of(*record.balance) : "",
                                record.async_pull.value_or(false) ? ", async" : ""));
  }
  return table;
}

// Levels differ by orders of magnitude, so heights are logarithms.
std::string panel(const std::string& title, const SearchReport& search, bool plain, std::uint64_t LevelRecord::*number)
{
  auto const of_one_level = [&](const LevelRecord& record) {
    return static_cast<double>(record.*number) / static_cast<double>(record.levels);
  };
  double most = 0;
  for (const LevelRecord& record : search.trace) most = std::max(most, of_one_level(record));
  if (most == 0) return fmt::format("<h4>{}: none</h4>\n", title);
  std::vector<Mark> marks;
  for (const LevelRecord& record : search.trace)
    marks.push_back(
        {std::log1p(of_one_level(record)) / std::log1p(most), numbers_of(record, plain), kind_of(record, plain)});
  return fmt::format("<h4>{}: up to {}, logarithmic</h4>\n", title, human_count(most)) + columns_of(marks);
}

std::string timeline(const SearchReport& search, bool plain)
{
  double all = 0;
  for (const LevelRecord& record : search.trace) all += record.seconds;
  std::vector<Mark> marks;
  std::vector<std::string> texts;
  for (const LevelRecord& record : search.trace) {
    double const share = all > 0 ? record.seconds / all : 1.0 / static_cast<double>(search.trace.size());
    marks.push_back({share, numbers_of(record, plain), kind_of(record, plain)});
    texts.push_back(share > 0.06 ? name_of_levels(record) : "");
  }
  return fmt::format("<h4>time: {:.4g} ms in all levels</h4>\n", all * 1e3) + strip_of(marks, texts);
}

std::string caption_of(const SearchReport& search, bool plain)
{
  std::string caption = "From left to right, level by level; the first row is as wide as the levels took.";
  std::int64_t most = 0;
  for (const LevelRecord& record : search.trace) most = std::max(most, record.levels);
  if (most > 1)
    caption += fmt::format(
        " Levels are many, so up to {} share a bar: it is as high as their mean, its numbers are their sums.", most);
  if (!plain) caption += " Mixed: some subgraphs were pushed, others pulled.";
  return caption;
}

}  // namespace

const SearchReport* median_search(const Report& report)
{
  std::vector<const SearchReport*> searches;
  for (auto const& search : report.searches) searches.push_back(&search);
  if (searches.empty()) return nullptr;
  auto const middle = searches.begin() + static_cast<std::ptrdiff_t>(searches.size() / 2);
  std::nth_element(searches.begin(), middle, searches.end(), [](auto* a, auto* b) { return a->teps < b->teps; });
  return *middle;
}

std::string levels_section(const Report& report)
{
  const SearchReport* const search = median_search(report);
  if (search == nullptr || search->trace.empty()) return {};
  bool const plain = !report.config.threshold;
  std::vector<Kind> kinds{Kind::push, Kind::pull};
  if (!plain) kinds.push_back(Kind::mixed);
  return figure(fmt::format("Levels of root {}, the median search", search->root),
                legend_of(kinds) + timeline(*search, plain) +
                    panel("frontier", *search, plain, &LevelRecord::frontier) +
                    panel("edges checked", *search, plain, &LevelRecord::edges_checked) +
                    panel("bytes between devices", *search, plain, &LevelRecord::bytes_sent),
                caption_of(*search, plain), table_of(*search, plain));
}

}  // namespace brushfire
