// Text for people, in columns that a script can still split at blanks. Counts are exact, never rounded;
// only rates and sizes have a rounded form, and sizes carry the exact one beside it.
#include "tables.hpp"

#include "outputs.hpp"
#include "terminal.hpp"

#include <brushfire/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace brushfire::cli {

std::string plan_table(const MemoryPlan& plan)
{
  auto const row = [](std::string_view what, std::uint64_t bytes) {
    return fmt::format("  {:<36} {:>10} {:>20}\n", what, human_bytes(bytes), bytes);
  };
  auto const count = [](int number, std::string_view many) {
    return counted(static_cast<std::uint64_t>(number), many);
  };
  bool const whole = plan.ranks == 1 && plan.per() == "rank";
  std::string text = fmt::format(
      "memory plan for {} on {}{}: {}, {}", plan.graph, plan.ranks > 1 ? count(plan.ranks, "ranks") + " of " : "",
      count(plan.devices, "devices"), counted(plan.vertices, "vertices"), counted(plan.edges, "edges"));
  text += plan.tuples.empty() ? "\n" : fmt::format(", tuples {}\n", plan.tuples);
  text += fmt::format("  {:<36} {:>31}\n", "what", whole ? "bytes" : fmt::format("bytes per {}", plan.per()));
  for (auto const& item : plan.items)
    if (item.bytes > 0) text += row(item.what, item.bytes);
  text += row("at most at one time", plan.peak_bytes);
  text += row(fmt::format("available {}", plan.memory), plan.available_bytes);
  text += fmt::format("  fits: {}\n", plan.fits() ? "yes" : "no");
  return text;
}

int print_plan(const std::string& command, const MemoryPlan& plan, const ResultOptions& results)
{
  require_outputs({results.json}, {plan.graph});
  if (results.text()) fmt::print("{}", plan_table(plan));
  results.write_json(plan_to_json(command, plan));
  if (!plan.fits())
    throw Error(
        ErrorKind::memory,
        fmt::format("{} needs {} of {} and {} are available; choose a smaller graph or a larger machine", plan.graph,
                    human_bytes(plan.peak_bytes), plan.memory_of_each(), human_bytes(plan.available_bytes)));
  return 0;
}

std::string search_line(const SearchReport& search)
{
  std::string line = fmt::format("root {}  reached {}  depth {}  nedge {}  {:.6g} s  {}", search.root, search.reached,
                                 search.depth, search.nedge, search.seconds, human_teps(search.teps));
  if (search.seconds_to_host) line += fmt::format("  {:.6g} s to host", *search.seconds_to_host);
  if (search.valid) line += *search.valid ? "  valid" : "  INVALID";
  return line + "\n";
}

void remark_on_config(const ConfigReport& config, const GraphOptions& asked, const MessageOptions& messages,
                      Progress& progress)
{
  bool const several = config.all_devices() > 1;
  bool const had_a_choice = several && !asked.threshold && !asked.keep_delegates;
  if (!config.choice.empty() && (had_a_choice || messages.verbose))
    progress.note(fmt::format("preset auto: {}", config.choice));
  if (messages.verbose && several && config.exchange == "direct")
    progress.note(fmt::format("subgraphs: {}; by {}: {}", human_bytes(config.subgraph_bytes), table_of_subgraphs,
                              human_bytes(config.subgraph_bytes_model)));
}

namespace {

// Of the longest level; one word for a script, whatever its length.
std::string time_bar(const LevelRecord& record, double longest)
{
  constexpr int width = 20;
  auto const filled = longest > 0 ? static_cast<std::size_t>(std::lround(record.seconds / longest * width)) : 0;
  return fmt::format("{:.<{}}", std::string(filled, '#'), width);
}

Colour colour_of(const std::string& direction)
{
  if (direction == name_of(Direction::push)) return Colour::yellow;
  return direction == name_of(Direction::pull) ? Colour::cyan : Colour::magenta;
}

}  // namespace

std::string level_table(const SearchReport& search, bool plain)
{
  std::string text = fmt::format("root {}\n{:>10} {:>12} {:>14} {:>12} {:>12}  {:<20}  {}\n", search.root, "level",
                                 "frontier", "edges checked", "discovered", "ms", "time", "direction");
  double longest = 0;
  for (auto const& record : search.trace) longest = std::max(longest, record.seconds);
  for (auto const& record : search.trace) {
    auto const levels = record.levels == 1 ? fmt::to_string(record.level)
                                           : fmt::format("{}-{}", record.level, record.level + record.levels - 1);
    auto const direction = human_directions(record.directions, plain);
    Colour const colour = colour_of(direction);
    text += fmt::format("{:>10} {:>12} {:>14} {:>12} {:>12.4f}  {}  {}", levels, record.frontier, record.edges_checked,
                        record.discovered, record.seconds * 1e3, coloured(time_bar(record, longest), colour),
                        coloured(direction, colour));
    if (record.queue) text += fmt::format(", queue {}", name_of(*record.queue));
    if (record.balance) text += fmt::format(", balance {}", name_of(*record.balance));
    if (record.async_pull.value_or(false)) text += ", async";
    text += "\n";
  }
  return text;
}

void require_valid(const Report& report)
{
  auto const broken = [](const SearchReport& search) { return !search.valid.value_or(true); };
  auto const first = std::find_if(report.searches.begin(), report.searches.end(), broken);
  if (first == report.searches.end()) return;
  auto const count = std::count_if(first, report.searches.end(), broken);
  throw Error(ErrorKind::validation, fmt::format("validation failed: root {}: {}{}", first->root, first->violation,
                                                 count > 1 ? fmt::format(" (and {} more searches)", count - 1) : ""));
}

}  // namespace brushfire::cli
