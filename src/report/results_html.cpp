// Results of several files on one page: how they compare first, then each by itself, folded away where there are many.
#include "report/page.hpp"
#include "report/sections.hpp"

#include <brushfire/results.hpp>

#include <fmt/format.h>

namespace brushfire {

std::string results_to_html(const Results& results)
{
  std::size_t const count = results.runs.size() + results.benches.size() + results.papers.size();
  if (count == 1) {
    if (!results.papers.empty()) return paper_to_html(results.papers[0]);
    return results.runs.empty() ? bench_to_html(results.benches[0]) : to_html(results.runs[0]);
  }
  constexpr std::size_t few = 2;
  auto const folded = [&](const std::string& title, const std::string& body) {
    return fmt::format("<details class=\"run\"{}><summary>{}</summary>\n", count <= few ? " open=\"\"" : "",
                       escaped(title)) +
           body + "</details>\n";
  };
  double best = 0;
  for (const Report& run : results.runs) best = std::max(best, teps_of(run.searches).harmonic_mean);
  std::string body;
  if (best > 0)
    body = fmt::format("<p class=\"headline\">{}</p>\n<p class=\"quiet\">harmonic mean of the fastest of {} runs</p>\n",
                       human_teps(best), results.runs.size());
  body += comparison_sections(results.runs);
  for (const BenchReport& bench : results.benches) body += folded("bench: presets side by side", bench_sections(bench));
  for (const PaperReport& paper : results.papers) body += folded("bench beside " + paper.paper, paper_sections(paper));
  for (const Report& run : results.runs)
    body += folded(
        fmt::format("{} {}, {} on {} {}: {}", run.command, run.graph.name, run.config.preset, run.config.all_devices(),
                    run.config.device, human_teps(teps_of(run.searches).harmonic_mean)),
        run_sections(run));
  return page(fmt::format("Brushfire report: {} results", count), body);
}

}  // namespace brushfire
