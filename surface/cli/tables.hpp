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
void print_choice(const ConfigReport& config);  // what auto chose, on stderr; nothing for other presets
std::string level_table(const SearchReport& search, bool plain);

// Throws Error(validation) when a search of the report broke a rule.
void require_valid(const Report& report);

}  // namespace brushfire::cli
