// What the tables and the pages of a bench and of a paper's experiments say in the same words.
#pragma once

#include <brushfire/bench_report.hpp>
#include <brushfire/units.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace brushfire {

// "of one search: mean over 4 roots or all there are, median of 5 rounds; none was validated". `spread`: the median
// stands with the range of the rounds.
template <typename Report>
std::string how_measured(const Report& report, bool spread)
{
  return fmt::format("of one search: mean over {} or all there are, median{} of {}; {}",
                     counted(static_cast<std::uint64_t>(report.roots), "roots"), spread ? " and range" : "",
                     counted(static_cast<std::uint64_t>(report.rounds), "rounds"),
                     report.validated ? "a round before them was valid" : "none was validated");
}
std::string sentence_of(const TimeModel& model);
// What the columns mean: a name and a sentence each.
std::vector<std::pair<std::string, std::string>> explain_columns(const BenchReport& report);
// What devices of the delegates preset would send by the paper's model: a sentence for each row of theirs.
std::vector<std::string> bytes_by_paper(const std::string& graph, const BenchReport& report);
// "by the model with messages"
const char* measure_of(const Shortfall& shortfall);
// "auto on 4 devices: at most 1.04 times the best, by what is checked and sent (tail:12:300)"
std::string sentence_of(const Shortfall& shortfall);
// A line for each reason: "ring, grid on 1, 4 devices: it is not in this build".
std::vector<std::string> reasons_of(const BenchReport& report);

}  // namespace brushfire
