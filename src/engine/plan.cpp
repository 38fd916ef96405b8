#include "engine/plan.hpp"

#include "engine/preset.hpp"

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/saturating.hpp"
#include "build/builder.hpp"
#include "build/tuple_steps.hpp"
#include "engine/gpu.hpp"
#include "engine/graph_data.hpp"
#include "engine/open.hpp"
#include "exchange/job_wire.hpp"
#include "input/generator.hpp"
#include "input/labels.hpp"
#include "traverse/cpu/adaptive_stepper.hpp"
#include "traverse/cpu/batch_stepper.hpp"
#include "traverse/cpu/cpu_stepper.hpp"
#include "validate/inquiry.hpp"

#include <brushfire/search.hpp>
#include <brushfire/units.hpp>

#include <algorithm>
#include <limits>

namespace brushfire {

namespace {

bool in_parts(const PlanRequest& request)
{
  return request.devices_here * request.ranks > 1 || cuts_into_blocks(request.preset);
}

// Workers that are not there yet, and of a device that is one of several its own thread, and one that judges.
int threads_to_start(const PlanRequest& request)
{
  Team const all = Team::of(request.threads);  // which read and deal the tuples, before devices have some each
  int const of_device = std::max(1, all.threads / request.devices_here);
  int const workers = std::max(workers::to_hire(1, all.threads), workers::to_hire(request.devices_here, of_device));
  return workers + (in_parts(request) ? 2 * request.devices_here : 0);
}

std::uint64_t search_bytes(const PlanRequest& request, std::uint64_t delegates)
{
  Team const team = Team::of(request.threads);
  if (request.application) {
    constexpr bool keeps_levels = false;
    std::uint64_t const joining = predict_components_bytes(request.vertices);
    if (request.application == Application::components) return joining;
    std::uint64_t const batch = predict_cpu_batch_stepper_bytes(request.vertices, delegates, keeps_levels, team);
    if (request.application == Application::closeness) return batch;
    return saturating_sum(
        {joining, batch, predict_cpu_stepper_bytes(request.vertices, delegates, request.wide_parents, true, team)});
  }
  if (request.preset == Preset::adaptive)
    return predict_adaptive_cpu_stepper_bytes(request.vertices, request.wide_parents);
  return predict_cpu_stepper_bytes(request.vertices, delegates, request.wide_parents, request.levels, team);
}

// One device maps it; those that share it build their parts from its lists.
MemoryPlan plan_of_stored(const GraphFacts& facts, PlanRequest request)
{
  request.vertices = facts.vertices;
  request.directed = facts.directed;
  if (in_parts(request)) {
    EdgeFacts listed;
    listed.name = facts.name;
    listed.edges = facts.edges_stored / static_cast<std::uint64_t>(request.ranks) + 1;
    listed.listed_twice = !facts.directed;
    MemoryPlan plan = make_plan(listed, request);
    plan.edges = facts.edges_input;
    return plan;
  }
  if (request.device == Device::cuda) return make_gpu_plan_of_stored(facts, request);
  MemoryPlan plan;
  plan.graph = facts.name;
  plan.vertices = facts.vertices;
  plan.edges = facts.edges_input;
  plan.tuples = "none: a built graph is mapped";
  plan.items = {{"graph, mapped from the file", facts.bytes},
                {searching_of(request), search_bytes(request, facts.delegates)}};
  plan.peak_bytes = plan.items[1].bytes;  // mapped pages can be dropped and read again
  plan.available_bytes = available_memory_bytes(1, threads_to_start(request));
  return plan;
}

}  // namespace

std::optional<std::uint64_t> threshold_for(const GraphOptions& options)
{
  bool const adapts_alone = options.preset == Preset::adaptive && !wants_parts(options);
  bool const plain = adapts_alone || cuts_into_blocks(options.preset);
  return plain ? plain_threshold : options.threshold;
}

void require_devices(int devices)
{
  if (devices < 1) fail(ErrorKind::usage, "devices: {} cannot share a graph; 1 is the least", devices);
}

void require_sense(const GraphOptions& options)
{
  (void)Team::of(options.threads);
  require_devices(options.devices);
}

PlanRequest request_for(const GraphOptions& options)
{
  require_sense(options);
  PlanRequest request;
  request.directed = options.directed;
  request.preset = options.preset;
  request.grid = options.grid;
  request.threads = options.threads;
  request.threshold = threshold_for(options);
  request.devices_here = options.devices;
  request.ranks = spreads(options) ? job_place().ranks : 1;
  return request;
}

PlanRequest request_for(const GraphOptions& options, const SearchOptions& search)
{
  PlanRequest request = request_for(options);
  request.device = choose_device(search.device);
  request.preset = search.preset;
  request.fanout = search.fanout;
  request.wide_parents = search.wide_parents;
  request.levels = search.levels || search.deterministic;
  if (search.threads != 0) request.threads = search.threads;
  return request;
}

std::string searching_of(const PlanRequest& request)
{
  if (!request.application) return PlannedParts().searching;
  switch (*request.application) {
    case Application::components:
      return "joining: a tree, names, sizes";
    case Application::diameter:
      return "one search, 64 at once, components";
    case Application::closeness:
      break;
  }
  return "64 searches at once: bits, queues";
}

// Where each points, its name, and how many have it; then by distance, as labels.
std::uint64_t predict_components_bytes(std::uint64_t vertices)
{
  return saturating_product(vertices, 3 * sizeof(Vertex) + sizeof(Label));
}

void set_parts(MemoryPlan& plan, const PlannedParts& parts)
{
  plan.items = {{"tuple list", parts.tuples},    {"list entries, duplicates included", parts.entries},
                {"row index", parts.rows},       {"input degrees", parts.degrees},
                {"labels", parts.labels},        {"while building only", parts.building},
                {parts.searching, parts.search}, {"validation: levels, marks", parts.validation}};
  std::uint64_t const later = std::max(parts.building, saturating_sum({parts.search, parts.validation}));
  plan.peak_bytes = saturating_sum({parts.tuples, parts.entries, parts.rows, parts.degrees, parts.labels, later});
}

namespace {

// What devices of a rank keep of tuples, entries and questions that are on their way, for so many tuples each: those of
// a step. Per tuple as much as was measured at most on 2 to 16 devices, scales 18 and 20.
std::uint64_t moving_bytes(std::uint64_t devices, std::uint64_t tuples_each, std::uint64_t per_step,
                           std::uint64_t bytes_per_tuple)
{
  return saturating_product(devices, std::min(tuples_each, per_step) * bytes_per_tuple);
}

// What devices of a rank take however small the graph is: threads, and lists for every other device. On one machine
// 64 devices took 0.29 MiB each, 256 took 0.36.
std::uint64_t bytes_of_devices(std::uint64_t here, std::uint64_t devices)
{
  return here * ((256u << 10) + 512 * devices);
}

// What this rank needs for its parts of a graph of which `facts` has the tuples of this rank. Edges that have a
// delegate take 4 bytes, others 8; how many that will be is known only when degrees are. Where hubs are separated, one
// in four is more than any graph had that we met.
PlannedParts plan_parts(const EdgeFacts& facts, const PlanRequest& request)
{
  auto const devices = static_cast<std::uint64_t>(request.devices_here) * static_cast<std::uint64_t>(request.ranks);
  auto const here = static_cast<std::uint64_t>(request.devices_here);
  std::uint64_t const own = request.vertices / devices + 1;
  std::uint64_t const ends = request.directed ? 2 : facts.listed_twice ? 1 : 2;
  bool const plain = request.threshold == plain_threshold;
  std::uint64_t const delegates = plain ? 0 : std::min(own * 4, request.vertices / 4);
  PlannedParts parts;
  parts.tuples = facts.bytes_held;
  parts.entries = saturating_product(saturating_product(facts.edges, ends), plain ? 8 : 5);
  parts.rows = saturating_product(here * (own + delegates), 8);
  parts.degrees = saturating_product(here * own, sizeof(std::uint32_t));
  parts.building = saturating_product(here * (2 * own + delegates), sizeof(std::uint32_t));
  Team const team{std::max(1, Team::of(request.threads).threads / request.devices_here)};
  parts.search = saturating_product(
      here, saturating_sum({predict_cpu_stepper_bytes(own, delegates, request.wide_parents, true, team), 40 * delegates,
                            plain ? 0 : request.vertices / 4}));
  parts.validation = saturating_product(here, own * 24);
  if (cuts_into_blocks(request.preset)) {
    BlockCut const cut = cut_for(request.preset, static_cast<int>(devices), request.grid);
    BlockBytes const blocks = predict_block_bytes(cut, request, saturating_product(facts.edges, ends));
    parts.entries = blocks.entries;
    parts.rows = blocks.rows;
    parts.building = blocks.building;
    parts.search = blocks.search;
  }
  std::uint64_t const tuples_each = facts.edges / here + 1, fixed = bytes_of_devices(here, devices);
  parts.building = saturating_sum({parts.building, fixed, moving_bytes(here, tuples_each, tuples_per_step, 80)});
  parts.search = saturating_sum({parts.search, fixed});
  parts.validation = saturating_sum({parts.validation, moving_bytes(here, tuples_each, questions_per_block / 2, 144)});
  return parts;
}

}  // namespace

MemoryPlan make_plan(const EdgeFacts& facts, const PlanRequest& request)
{
  if (request.device == Device::cuda) return make_gpu_plan(facts, request);
  BuildBytes const build = predict_build_bytes(
      {request.vertices, facts.edges, request.directed, facts.listed_twice && !request.directed, request.threshold});
  // A table, and the index that finds a label in it; a rank has its own.
  std::uint64_t const named = request.vertices / static_cast<std::uint64_t>(request.ranks) + 1;
  std::uint64_t const labels = request.sparse_labels ? saturating_product(named, 2 * sizeof(Label)) : 0;
  std::uint64_t const search = search_bytes(request, most_delegates(request.vertices, request.threshold));
  std::uint64_t const validation =
      request.application ? 0 : saturating_product(request.vertices, sizeof(std::int32_t) + 1);
  std::uint64_t tuples = facts.bytes_held;

  MemoryPlan plan;
  plan.graph = facts.name;
  plan.vertices = request.vertices;
  plan.edges = facts.edges;
  plan.ranks = request.ranks;
  plan.devices = request.devices_here;
  if (request.keep_tuples == TupleHome::memory) {
    tuples = saturating_product(facts.edges, PackedEdges::bytes_per_edge);
    plan.tuples = "kept in memory";
  } else if (request.keep_tuples == TupleHome::file) {
    plan.tuples = "kept in a temporary file";
  } else if (facts.bytes_held > 0) {
    plan.tuples = "read once and kept in memory";
  } else {
    plan.tuples = names_generator(facts.name) ? "generated for each pass" : "read from the mapped file for each pass";
  }
  PlannedParts parts{.searching = searching_of(request),
                     .tuples = tuples,
                     .entries = build.entries,
                     .rows = build.rows,
                     .degrees = build.degrees,
                     .labels = labels,
                     .building = build.temporary,
                     .search = search,
                     .validation = validation};
  if (in_parts(request)) {
    parts = plan_parts(facts, request);
    parts.tuples = tuples;
    parts.labels = labels;
  }
  set_parts(plan, parts);
  // What the tuples hold already is no longer available, and needed no more. Ranks of one machine share what there is.
  int const sharing = request.ranks > 1 ? job_place().ranks_on_machine : 1;
  plan.available_bytes = saturating_sum({available_memory_bytes(sharing, threads_to_start(request)), facts.bytes_held});
  return plan;
}

void require_fit(const MemoryPlan& plan)
{
  auto const devices = static_cast<std::uint64_t>(plan.ranks) * static_cast<std::uint64_t>(plan.devices);
  if (plan.vertices >= std::numeric_limits<Vertex>::max() * devices)
    fail(ErrorKind::memory,
         "{}: {} vertices are more than {} can number; choose a smaller graph or at least {} devices", plan.graph,
         plan.vertices, devices == 1 ? "one device" : fmt::format("{} devices", devices),
         plan.vertices / std::numeric_limits<Vertex>::max() + 1);
  if (plan.fits()) return;
  bool const on_gpu = plan.per() == "GPU", limited = !on_gpu && address_space_is_limited();
  fail(ErrorKind::memory, "{} needs up to {} of {} and {} are available; choose a smaller graph{} or a larger {}",
       plan.graph, human_bytes(plan.peak_bytes), plan.memory_of_each(), human_bytes(plan.available_bytes),
       on_gpu    ? ", --device cpu"
       : limited ? ", fewer --devices or --threads"
                 : "",
       limited ? "limit (ulimit -v), which the stacks of threads count against too" : "machine");
}

TupleHome choose_tuple_home(std::uint64_t edges)
{
  constexpr std::uint64_t short_list = 256 << 20;  // bytes
  std::uint64_t const bytes = saturating_product(edges, PackedEdges::bytes_per_edge);
  if (bytes <= short_list) return TupleHome::memory;
  return bytes < PackedEdges::disk_bytes_available() / 10 * 9 ? TupleHome::file : TupleHome::memory;
}

namespace {

MemoryPlan plan_for(const std::string& spec, const GraphOptions& options, PlanRequest request)
{
  Team const team = Team::of(options.threads);
  if (names_stored_graph(spec)) {
    GraphOptions whole = options;
    whole.devices = 1;
    whole.spread = false;
    return plan_of_stored(Graph::open(spec, whole).facts(), request);
  }
  auto const source = open_tuples(spec, team, Progress::none());
  request.directed |= source->facts().directed;
  if (source->facts().declared) {
    request.vertices = source->facts().declared->count;
  } else {
    Labels const labels = Labels::of_source(*source, team);
    request.vertices = labels.size();
    request.sparse_labels = !labels.consecutive();
    request.wide_parents |= labels.largest() > std::numeric_limits<std::int32_t>::max();
  }
  EdgeFacts own = source->facts();  // a rank has its share
  own.edges = (own.edges + static_cast<std::uint64_t>(request.ranks) - 1) / static_cast<std::uint64_t>(request.ranks);
  own.bytes_held /= static_cast<std::uint64_t>(request.ranks);
  MemoryPlan plan = make_plan(own, request);
  plan.edges = source->facts().edges;
  return plan;
}

}  // namespace

MemoryPlan plan_memory(const std::string& spec, const GraphOptions& options, const SearchOptions& search)
{
  return plan_for(spec, options, request_for(options, search));
}

MemoryPlan plan_application(Application application, const std::string& spec, const GraphOptions& options)
{
  PlanRequest request = request_for(options);
  request.device = application == Application::components ? Device::cpu : choose_device(options.device);
  request.application = application;
  return plan_for(spec, options, request);
}

MemoryPlan plan_of(const Graph& graph, int devices, const SearchOptions& search)
{
  const GraphData& data = graph.data();
  PlanRequest request = request_for({.threads = data.options.threads, .devices = devices}, search);
  request.wide_parents |= data.labels.largest() > std::numeric_limits<std::int32_t>::max();
  if (data.stored_in) return plan_of_stored(data.facts, request);
  request.directed = data.facts.directed;
  request.vertices = data.facts.vertices;
  request.sparse_labels = !data.labels.consecutive();
  if (data.facts.delegates > 0) request.threshold = data.facts.threshold;
  return make_plan(data.source->facts(), request);
}

}  // namespace brushfire
