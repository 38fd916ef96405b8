#include "report/bench_text.hpp"

#include <brushfire/units.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace brushfire {

std::string sentence_of(const TimeModel& model)
{
  return fmt::format(
      "if each device were a machine: {:.3g} ns per entry checked, {:.3g} GB/s, {:.3g} µs per message, of the busiest "
      "per level",
      model.seconds_per_check * 1e9, model.bytes_per_second / 1e9, model.seconds_per_message * 1e6);
}

std::vector<std::pair<std::string, std::string>> explain_columns(const BenchReport& report)
{
  constexpr bool spread = true;
  return {{"ms", how_measured(report, spread)},
          {"ratio", "to the best row of the same graph and as many devices"},
          {"GTEPS", "harmonic mean over the roots, median of the rounds"},
          {"bytes", "and messages: what devices send each other in a search, all together"},
          {"memory", "of the graph, on all devices"},
          {"model ms", sentence_of(report.model)},
          {"volume ms", "likewise without messages: what is checked and sent alone"}};
}

std::vector<std::string> bytes_by_paper(const std::string& graph, const BenchReport& report)
{
  std::vector<std::string> sentences;
  for (const BenchRow& row : report.rows)
    if (row.graph == graph && row.preset == "delegates" && row.bytes_by_paper > 0)
      sentences.push_back(
          fmt::format("delegates on {} devices, direction {}: {} a search by the paper's model, without "
                      "parents",
                      row.devices, row.direction, human_bytes(row.bytes_by_paper)));
  return sentences;
}

const char* measure_of(const Shortfall& shortfall)
{
  switch (shortfall.by) {
    case Shortfall::By::time:
      return "by measured time";
    case Shortfall::By::volume:
      return "by what is checked and sent";
    case Shortfall::By::model:
      break;
  }
  return "by the model with messages";
}

std::string sentence_of(const Shortfall& shortfall)
{
  return fmt::format("auto on {} {}: at most {:.2f} times the best, {} ({})", shortfall.devices,
                     shortfall.devices == 1 ? "device" : "devices", shortfall.ratio, measure_of(shortfall),
                     shortfall.graph);
}

std::vector<std::string> reasons_of(const BenchReport& report)
{
  struct Reason {
    std::vector<std::string> combinations;
    std::vector<int> devices;
    std::string why;
  };
  std::vector<Reason> single;  // of one combination each
  for (const BenchRow& row : report.rows) {
    if (row.ran()) continue;
    std::string const combination = row.direction == "auto" ? row.preset : row.preset + " " + row.direction;
    auto same = std::find_if(single.begin(), single.end(), [&](const Reason& reason) {
      return reason.combinations.front() == combination && reason.why == row.why_not;
    });
    if (same == single.end()) same = single.insert(same, {{combination}, {}, row.why_not});
    if (std::find(same->devices.begin(), same->devices.end(), row.devices) == same->devices.end())
      same->devices.push_back(row.devices);
  }
  std::vector<Reason> joined;
  for (const Reason& reason : single) {
    auto const same = std::find_if(joined.begin(), joined.end(), [&](const Reason& other) {
      return other.why == reason.why && other.devices == reason.devices;
    });
    if (same == joined.end())
      joined.push_back(reason);
    else
      same->combinations.push_back(reason.combinations.front());
  }
  std::vector<std::string> lines;
  lines.reserve(joined.size());
  for (const Reason& reason : joined)
    lines.push_back(fmt::format("{} on {} {}: {}", fmt::join(reason.combinations, ", "),
                                fmt::join(reason.devices, ", "), reason.devices.back() == 1 ? "device" : "devices",
                                reason.why));
  return lines;
}

}  // namespace brushfire
