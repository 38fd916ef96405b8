// One way to search a graph: the hardware, the stepper for it, and where results are.
#pragma once

#include "base/parallel.hpp"
#include "engine/graph_data.hpp"
#include "traverse/adaptive_policy.hpp"
#include "traverse/cpu/cpu_stepper.hpp"
#include "traverse/stepper.hpp"
#include "validate/validate.hpp"

#include <brushfire/search.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace brushfire {

// What the last search left behind.
struct FoundTree {
  std::uint64_t reached = 0;
  std::int64_t depth = 0;
  std::uint64_t nedge = 0;
  int parent_bits = 32;
  ParentsView parents;  // on the host; empty when results stay on the GPU
  std::span<const std::int32_t> levels;
  std::optional<double> seconds_to_host;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual void search(std::uint64_t root, const Limits& limits, Trace& trace) = 0;
  // Once after each search. What is known of the search as a whole only now joins the trace.
  virtual FoundTree take_tree(Trace& trace) = 0;
  // Labels from the root to a vertex of the tree, where no array holds the parents of all; empty when it is not in it.
  virtual std::vector<Label> path_to(std::uint64_t) { return {}; }
  virtual Verdict validate(Label root, const TreeRules& rules, Progress& progress) = 0;
};

std::unique_ptr<Backend> make_cpu_backend(const GraphData& graph, const SearchOptions& options);
std::unique_ptr<Backend> make_parts_backend(const GraphData& graph, const SearchOptions& options);

// What a search asks of a stepper on the CPU, whether it has a whole graph or a part.
CpuStepperOptions cpu_stepper_options(const GraphData& graph, const SearchOptions& options);

// The choices of the adaptive preset, which on one device searches plain graphs only.
AdaptiveOptions adaptive_options(const SearchOptions& options);
[[noreturn]] void fail_over_delegates(const GraphData& graph);

// Parents that do not fit 31 bits, or are not to be kept in so few.
bool needs_wide_parents(const GraphData& graph, const SearchOptions& options);

}  // namespace brushfire
