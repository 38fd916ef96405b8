// A small report with round numbers, for the tests of the ways to show one.
#pragma once

#include <brushfire/report.hpp>

namespace brushfire::testing {

// Three searches of 0.5, 0.25 and 1 seconds; the second is validated and the trace of the first has two levels.
inline Report sample_report()
{
  Report report;
  report.command = "graph500";
  report.host = {.cpu = "Example CPU", .cores = 2, .gpus = {}, .ranks = 1};
  report.graph = {.name = "kron:20",
                  .vertices = 1048576,
                  .edges_input = 16777216,
                  .edges_stored = 31000000,
                  .bytes = 123456789,
                  .generation_seconds = 0.125,
                  .construction_seconds = 1.5};
  report.config.threads = 2;
  report.config.threshold = 64;
  report.config.delegates = 1000;
  report.graph500 = Graph500Report{.scale = 20, .edgefactor = 16, .conforming = true, .reasons = {}};
  report.memory = {.host_peak_bytes = 1000000, .device_bytes = 0};
  double const seconds[] = {0.5, 0.25, 1};
  double const validate_seconds[] = {2, 4, 3};
  for (int i = 0; i < 3; ++i) {
    SearchReport search;
    search.root = 100 + i;
    search.seconds = seconds[i];
    search.nedge = 16775818;
    search.teps = static_cast<double>(search.nedge) / search.seconds;
    search.reached = 645820;
    search.depth = 6;
    search.valid = true;
    search.validate_seconds = validate_seconds[i];
    report.searches.push_back(search);
  }
  using enum Direction;
  auto& trace = report.searches[0].trace;
  trace.resize(2);
  trace[0].directions = {push, push, push, push};
  trace[0].frontier = 1;
  trace[0].edges_checked = 5;
  trace[0].discovered = 4;
  trace[1].level = 1;
  trace[1].levels = 7;
  trace[1].directions = {pull, pull, pull, push};
  trace[1].frontier = 4;
  trace[1].edges_checked = 50;
  return report;
}

// The same with everything that may be missing.
inline Report full_report()
{
  Report report = sample_report();
  report.command_line = "brushfire graph500 20 --json 'a b.json'";
  report.host.memory_bandwidth = 2e10;
  report.energy =
      EnergyReport{.joules = 100, .seconds = 2, .searches = 40, .edges = 100000000, .counters = {"package-0"}};
  report.plan = MemoryPlan{.graph = "kron:20",
                           .vertices = 1048576,
                           .edges = 16777216,
                           .items = {{"targets", 1000}, {"parents", 500}},
                           .peak_bytes = 1500,
                           .available_bytes = 9000,
                           .tuples = "kept in memory"};
  double started = 10;
  for (SearchReport& search : report.searches) {
    search.started = started;
    search.validation_started = started + search.seconds;
    started += search.seconds + *search.validate_seconds;
  }
  report.searches[0].trace[0].seconds = 0.125;
  report.searches[0].trace[1].seconds = 0.375;
  return report;
}

}  // namespace brushfire::testing
