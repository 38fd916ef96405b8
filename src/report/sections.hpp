// The parts of a page that shows results. Each is HTML, and empty where there is nothing to show.
#pragma once

#include <brushfire/bench_report.hpp>
#include <brushfire/paper_report.hpp>
#include <brushfire/report.hpp>

#include <span>
#include <string>

namespace brushfire {

std::string run_sections(const Report& report);  // everything about a run of graph500 or bfs
std::string levels_section(const Report& report);
std::string roofline_section(const Report& report);
std::string plan_section(const Report& report);
std::string bench_sections(const BenchReport& report);
std::string paper_sections(const PaperReport& report);
// How runs compare: their figures, and where some of them differ in the number of devices, how they scale.
std::string comparison_sections(std::span<const Report> runs);

// Rows of a table of facts: the command and the machine.
std::string machine_facts(const std::string& command_line, const HostReport& host);

// In the middle of all by speed; nullptr when there is none.
const SearchReport* median_search(const Report& report);

}  // namespace brushfire
