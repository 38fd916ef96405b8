// What the table and the page of a bench say in the same words.
#pragma once

#include <brushfire/bench_report.hpp>

#include <string>
#include <utility>
#include <vector>

namespace brushfire {

// What the columns mean: a name and a sentence each.
std::vector<std::pair<std::string, std::string>> explain_columns(const BenchReport& report);
// What devices of the delegates preset would send by the paper's model: a sentence for each row of theirs.
std::vector<std::string> bytes_by_paper(const std::string& graph, const BenchReport& report);
// "auto on 4 devices: at most 1.04 times the best, by the model (tail:12:300)"
std::string sentence_of(const Shortfall& shortfall);
// A line for each reason: "ring, grid on 1, 4 devices: it is not in this build".
std::vector<std::string> reasons_of(const BenchReport& report);

}  // namespace brushfire
