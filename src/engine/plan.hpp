// What a graph and a search on it will take, from counts alone, and what follows from it.
#pragma once

#include "input/edge_source.hpp"
#include "input/packed_edges.hpp"

#include <brushfire/applications.hpp>
#include <brushfire/graph.hpp>
#include <brushfire/search.hpp>

#include <cstdint>
#include <optional>

namespace brushfire {

struct PlanRequest {
  std::uint64_t vertices = 0;
  bool directed = false;
  bool sparse_labels = false;
  std::optional<std::uint64_t> threshold;  // as the user gave it
  bool wide_parents = false;
  bool levels = false;
  std::optional<TupleHome> keep_tuples;  // the list of a conforming Graph500 run
  Device device = Device::cpu;           // settled
  Preset preset = Preset::automatic;
  std::optional<GridShape> grid{};           // of that preset
  std::optional<Application> application{};  // nothing: a search
  int threads = 0;
  int fanout = default_fanout;      // of a butterfly
  bool keep_tuples_on_gpu = false;  // what keep_tuples keeps, there
  int devices_here = 1;             // that share the graph, in each of
  int ranks = 1;
  int devices_on_gpu = 0;  // of all ranks, that share one; 0: not known yet
};

// The threshold a graph is built with: one device alone searches the plain graph by the adaptive preset.
std::optional<std::uint64_t> threshold_for(const GraphOptions& options);

// Throw Error(usage) for numbers that make no sense.
void require_devices(int devices);
void require_sense(const GraphOptions& options);

// What the options say; what the input says is not in it yet.
PlanRequest request_for(const GraphOptions& options);
PlanRequest request_for(const GraphOptions& options, const SearchOptions& search);

// What a graph that is built takes, part by part.
struct PlannedParts {
  std::string searching = "search: parents, bits, queues";  // what `search` is
  std::uint64_t tuples = 0;
  std::uint64_t entries = 0;
  std::uint64_t rows = 0;
  std::uint64_t degrees = 0;
  std::uint64_t labels = 0;
  std::uint64_t building = 0;  // gone when it is built
  std::uint64_t search = 0;
  std::uint64_t validation = 0;
};
// The plan's items, and the most that is alive at one time.
void set_parts(MemoryPlan& plan, const PlannedParts& parts);

// The names of what applications keep while they run, and what joining components takes.
std::string searching_of(const PlanRequest& request);
std::uint64_t predict_components_bytes(std::uint64_t vertices);

MemoryPlan make_plan(const EdgeFacts& facts, const PlanRequest& request);

// Throws Error(memory) that says what is needed, what there is, and the way out.
void require_fit(const MemoryPlan& plan);

// Where a list of tuples is kept. Short ones stay in memory. Long ones go to a file where a disk has room: the page
// cache serves them as fast, and they do not compete with the graph for memory.
TupleHome choose_tuple_home(std::uint64_t edges);

}  // namespace brushfire
