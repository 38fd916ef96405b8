// What results look like as text.
#pragma once

#include "options.hpp"

#include <brushfire/facts.hpp>
#include <brushfire/report.hpp>

#include <string>

namespace brushfire::cli {

std::string plan_table(const MemoryPlan& plan);

// `--dry-run`: prints the plan, also as JSON where asked, and returns 0, or throws Error(memory) when it does not fit.
int print_plan(const std::string& command, const MemoryPlan& plan, const ResultOptions& results);

std::string search_line(const SearchReport& search);

inline constexpr const char* table_of_subgraphs = "Table I of Pan, Pearce and Owens (8n + 8dp + 4m + 4|Enn|)";

// What auto chose and why, where several devices and the options left it a choice. With --verbose in any case, and also
// what the subgraphs of devices take that share a graph with delegates, beside what the paper counts.
void remark_on_config(const ConfigReport& config, const GraphOptions& asked, const MessageOptions& messages,
                      Progress& progress);

std::string level_table(const SearchReport& search, bool plain);

// Throws Error(validation) when a search of the report broke a rule.
void require_valid(const Report& report);

}  // namespace brushfire::cli
