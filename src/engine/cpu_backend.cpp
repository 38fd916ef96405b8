#include "base/error.hpp"
#include "base/memory.hpp"
#include "engine/backend.hpp"
#include "exchange/one_device.hpp"
#include "traverse/cpu/adaptive_stepper.hpp"
#include "traverse/cpu/cpu_stepper.hpp"

#include <brushfire/units.hpp>

#include <atomic>
#include <limits>

namespace brushfire {

bool needs_wide_parents(const GraphData& graph, const SearchOptions& options)
{
  return options.wide_parents || graph.largest_label() > std::numeric_limits<std::int32_t>::max();
}

CpuStepperOptions cpu_stepper_options(const GraphData& graph, const SearchOptions& options)
{
  CpuStepperOptions stepper;
  stepper.policy.forced = options.direction;
  stepper.policy.as_published = options.preset == Preset::delegates;
  stepper.policy.adaptive = options.preset == Preset::adaptive;
  stepper.deterministic = options.deterministic;
  stepper.levels = options.levels;
  stepper.wide_parents = needs_wide_parents(graph, options);
  stepper.uniquify = options.uniquify;
  stepper.fanout = options.fanout;
  return stepper;
}

AdaptiveOptions adaptive_options(const SearchOptions& options)
{
  return {options.queue, options.balance, options.async_pull.value_or(true)};
}

void fail_over_delegates(const GraphData& graph)
{
  fail(ErrorKind::usage,
       "the preset adaptive searches the plain graph, and {} was built with delegates; convert it with --partition 1d",
       graph.facts.name);
}

std::uint64_t tuples_in_tree(const Layout& layout, ParentsView parents, Team team)
{
  std::atomic<std::uint64_t> sum{0};
  team.for_blocks(layout.vertices, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t part = 0;
    for (std::uint64_t v = first; v < last; ++v)
      if (parents[v] != no_label) part += layout.input_degrees[v];
    sum.fetch_add(part, std::memory_order_relaxed);
  });
  return layout.directed ? sum.load() : sum.load() / 2;
}

namespace {

class CpuBackend final : public Backend {
 public:
  CpuBackend(const GraphData& graph, const SearchOptions& options)
      : graph_(graph), team_(Team::of(options.threads)), stepper_(make_stepper(graph, options, team_))
  {
  }

  void search(std::uint64_t root, const Limits& limits, Trace& trace) override
  {
    run_levels(*stepper_, alone_, root, limits, trace);
  }

  FoundTree take_tree(Trace&) override
  {
    TreeFacts const facts = stepper_->facts();
    TreeOnHost const found = stepper_->result();
    parents_ = found.parents;
    return {facts.reached,     facts.depth,   tuples_in_tree(graph_.layout(), found.parents, team_),
            facts.parent_bits, found.parents, found.levels,
            std::nullopt};
  }

  Verdict validate(Label root, const TreeRules& rules, Progress& progress) override
  {
    return validate_tree(*graph_.source, graph_.labels, root, parents_, rules, team_, progress);
  }

 private:
  static std::unique_ptr<TreeStepper> make_stepper(const GraphData& graph, const SearchOptions& options, Team team)
  {
    const Layout& layout = graph.layout();
    CpuStepperOptions const stepper = cpu_stepper_options(graph, options);
    bool const adaptive = options.preset == Preset::adaptive;
    if (adaptive && layout.delegates != 0) fail_over_delegates(graph);
    std::uint64_t const needed =
        adaptive ? predict_adaptive_cpu_stepper_bytes(layout.vertices, stepper.wide_parents)
                 : predict_cpu_stepper_bytes(layout.vertices, layout.delegates, stepper.wide_parents,
                                             options.levels || options.deterministic, team);
    std::uint64_t const available = available_memory_bytes(1, workers::to_hire(1, team.threads));
    if (needed > available)
      fail(ErrorKind::memory, "searching {} takes up to {} of memory and {} are available; choose a larger machine",
           graph.facts.name, human_bytes(needed), human_bytes(available));
    if (!adaptive) return make_cpu_stepper(layout, graph.labels.view(), stepper, team);
    return make_adaptive_cpu_stepper(layout, graph.labels.view(), stepper, adaptive_options(options), team);
  }

  const GraphData& graph_;
  Team team_;
  std::unique_ptr<TreeStepper> stepper_;
  OneDevice alone_;
  ParentsView parents_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(const GraphData& graph, const SearchOptions& options)
{
  return std::make_unique<CpuBackend>(graph, options);
}

}  // namespace brushfire
