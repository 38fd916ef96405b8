#include "engine/plan.hpp"

#include "base/error.hpp"
#include "base/memory.hpp"
#include "build/builder.hpp"
#include "engine/open.hpp"
#include "input/generator.hpp"
#include "input/labels.hpp"
#include "traverse/cpu/cpu_stepper.hpp"

#include <brushfire/graph500.hpp>

#include <algorithm>

namespace brushfire {

MemoryPlan make_plan(const EdgeFacts& facts, const PlanRequest& request)
{
  BuildBytes const build = predict_build_bytes(request.vertices, facts.edges, request.directed, facts.listed_twice);
  std::uint64_t const labels = request.sparse_labels ? request.vertices * sizeof(Label) : 0;
  std::uint64_t const search = predict_cpu_stepper_bytes(request.vertices, request.wide_parents, false);
  std::uint64_t const validation = request.vertices * sizeof(std::int32_t) + request.vertices / 8;
  std::uint64_t tuples = 0;

  MemoryPlan plan;
  plan.graph = facts.name;
  plan.vertices = request.vertices;
  plan.edges = facts.edges;
  if (request.keep_tuples == TupleHome::memory) {
    tuples = facts.edges * PackedEdges::bytes_per_edge;
    plan.tuples = "kept in memory";
  } else if (request.keep_tuples == TupleHome::file) {
    plan.tuples = "kept in a temporary file";
  } else {
    plan.tuples = names_generator(facts.name) ? "generated for each pass" : "read from the input for each pass";
  }
  plan.items = {{"tuple list", tuples},
                {"list entries, duplicates included", build.entries},
                {"row index", build.rows},
                {"input degrees", build.degrees},
                {"labels", labels},
                {"while building only", build.temporary},
                {"search: parents, bits, queues", search},
                {"validation: levels, marks", validation}};
  std::uint64_t const graph = tuples + build.entries + build.rows + build.degrees + labels;
  plan.peak_bytes = graph + std::max(build.temporary, search + validation);
  plan.available_bytes = available_memory_bytes();
  return plan;
}

void require_fit(const MemoryPlan& plan)
{
  if (plan.fits()) return;
  fail(ErrorKind::memory,
       "{} needs up to {} of memory and {} are available; choose a smaller graph or a larger machine", plan.graph,
       human_bytes(plan.peak_bytes), human_bytes(plan.available_bytes));
}

MemoryPlan plan_memory(const std::string& spec, const GraphOptions& options)
{
  Team const team = Team::of(options.threads);
  if (names_stored_graph(spec)) {
    GraphFacts const facts = Graph::open(spec, options).facts();  // maps, allocates nothing
    MemoryPlan plan;
    plan.graph = spec;
    plan.vertices = facts.vertices;
    plan.edges = facts.edges_input;
    plan.tuples = "none: a built graph is mapped";
    plan.items = {{"graph, mapped from the file", facts.bytes},
                  {"search: parents, bits, queues", predict_cpu_stepper_bytes(facts.vertices, false, false)}};
    plan.peak_bytes = plan.items[1].bytes;
    plan.available_bytes = available_memory_bytes();
    return plan;
  }
  auto const source = open_tuples(spec, team, Progress::none());
  PlanRequest request;
  request.directed = options.directed || source->facts().directed;
  if (source->facts().declared) {
    request.vertices = source->facts().declared->count;
  } else {
    Labels const labels = Labels::of_source(*source, team);
    request.vertices = labels.size();
    request.sparse_labels = !labels.consecutive();
  }
  return make_plan(source->facts(), request);
}

}  // namespace brushfire
