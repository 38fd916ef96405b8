// The Graph500 benchmark, as it is ranked: generate, construct, search from 64 roots, validate each.
#pragma once

#include <brushfire/graph.hpp>
#include <brushfire/progress.hpp>
#include <brushfire/report.hpp>
#include <brushfire/search.hpp>

#include <filesystem>
#include <optional>

#pragma GCC visibility push(default)
namespace brushfire {

struct Graph500Options {
  int scale = 0;
  int edgefactor = 16;
  int roots = 64;
  bool validate = true;
  bool compact = false;  // 32-bit parents, tuples generated again inside construction: not conforming
  bool energy = false;   // when all is done, searches are repeated a while and counters of energy read
  GraphOptions graph;
  SearchOptions search;
  // Each finished search is appended here; a second run with the same settings does only the missing ones.
  std::optional<std::filesystem::path> resume;
};

MemoryPlan plan_graph500(const Graph500Options& options);
Report run_graph500(const Graph500Options& options, Progress& progress = Progress::none());

}  // namespace brushfire
#pragma GCC visibility pop
