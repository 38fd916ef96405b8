// Result files of the schema "brushfire/1", read back and shown together on one page.
#pragma once

#include <brushfire/bench_report.hpp>
#include <brushfire/paper_report.hpp>
#include <brushfire/report.hpp>

#include <filesystem>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

struct Results {
  std::vector<Report> runs;            // of graph500 and bfs
  std::vector<BenchReport> benches{};  // of bench
  std::vector<PaperReport> papers{};   // of bench --paper
};

// Adds what a file holds. What older versions did not write stays empty. Throws Error(input), naming the file and the
// place in it, when it is no such result.
void read_results(const std::filesystem::path& file, Results& results);

// One run is shown as to_html() shows it; of several, first how they compare and scale.
std::string results_to_html(const Results& results);

}  // namespace brushfire
#pragma GCC visibility pop
