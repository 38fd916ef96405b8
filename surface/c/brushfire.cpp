// The C interface: each function is its C++ counterpart, with exceptions turned into a status and a line that the
// thread keeps. This is the only place where they end; none may pass into a program written in C.
#include <brushfire/brushfire.h>

#include <brushfire/error.hpp>
#include <brushfire/graph.hpp>
#include <brushfire/report.hpp>
#include <brushfire/search.hpp>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string>

struct brushfire_graph {
  brushfire::Graph graph;
};

struct brushfire_search {
  brushfire::Search search;
  brushfire::SearchResult result{};  // views into `search`
};

namespace {

using brushfire::Error;
using brushfire::ErrorKind;

thread_local std::string last_error;

brushfire_status ends_with(brushfire_status status, const char* message)
{
  last_error = message;
  return status;
}

template <typename Body>
brushfire_status guarded(Body&& body) noexcept
try {
  body();
  return BRUSHFIRE_OK;
} catch (const Error& error) {
  return ends_with(static_cast<brushfire_status>(error.kind()), error.what());
} catch (const std::bad_alloc&) {
  return ends_with(BRUSHFIRE_MEMORY, "not enough memory; try a smaller graph");
} catch (const std::exception& error) {
  return ends_with(BRUSHFIRE_FAILURE, error.what());
}

void require(bool holds, const char* message)
{
  if (!holds) throw Error(ErrorKind::usage, message);
}

brushfire::Device device_of(brushfire_device given)
{
  require(given >= BRUSHFIRE_AUTO && given <= BRUSHFIRE_CUDA, "this is no brushfire_device");
  return static_cast<brushfire::Device>(given);
}

brushfire::GraphOptions options_of(const brushfire_graph_options* given)
{
  brushfire::GraphOptions options;
  if (given == nullptr) return options;
  options.directed = given->directed;
  options.threads = given->threads;
  options.device = device_of(given->device);
  require(given->devices >= 0, "devices must be 0, for one, or more");
  options.devices = std::max(1, given->devices);
  return options;
}

brushfire::SearchOptions options_of(const brushfire_search_options* given)
{
  brushfire::SearchOptions options;
  if (given == nullptr) return options;
  options.levels = given->levels;
  options.deterministic = given->deterministic;
  options.threads = given->threads;
  options.device = device_of(given->device);
  require(given->direction >= BRUSHFIRE_CHOOSE && given->direction <= BRUSHFIRE_PULL, "this is no brushfire_direction");
  if (given->direction == BRUSHFIRE_PUSH) options.direction = brushfire::Direction::push;
  if (given->direction == BRUSHFIRE_PULL) options.direction = brushfire::Direction::pull;
  return options;
}

template <typename Integer>
brushfire::IntegersView view_of(const brushfire_array& array)
{
  std::ptrdiff_t const stride = array.stride == 0 ? sizeof(Integer) : array.stride;
  return {static_cast<const Integer*>(array.data), array.size, stride};
}

brushfire::IntegersView view_of(const brushfire_array& array)
{
  require(array.data != nullptr || array.size == 0, "an array without data has integers; give it data, or size 0");
  switch (array.type) {
    case BRUSHFIRE_INT32:
      return view_of<std::int32_t>(array);
    case BRUSHFIRE_UINT32:
      return view_of<std::uint32_t>(array);
    case BRUSHFIRE_INT64:
      return view_of<std::int64_t>(array);
    case BRUSHFIRE_UINT64:
      return view_of<std::uint64_t>(array);
  }
  throw Error(ErrorKind::usage, "the type of an array is none of brushfire_type");
}

void require_pointer(const void* pointer) { require(pointer != nullptr, "a pointer that must not be NULL is NULL"); }

void require_run(const brushfire_search* search)
{
  require_pointer(search);
  require(search->result.root != brushfire::no_label, "nothing has been searched yet; call brushfire_search_run first");
}

void require_room(std::uint64_t room, std::uint64_t needed)
{
  if (room < needed)
    throw Error(ErrorKind::usage, "an array with room for " + std::to_string(room) + " values cannot hold those of " +
                                      std::to_string(needed) + " vertices");
}

}  // namespace

const char* brushfire_last_error(void) { return last_error.c_str(); }

const char* brushfire_version(void)
{
  static std::string const text = brushfire::version();
  return text.c_str();
}

brushfire_status brushfire_graph_open(const char* spec, const brushfire_graph_options* options, brushfire_graph** graph)
{
  return guarded([&] {
    require(spec != nullptr, "no graph was named; give a file or a generator");
    require_pointer(graph);
    *graph = new brushfire_graph{brushfire::Graph::open(spec, options_of(options))};
  });
}

brushfire_status brushfire_graph_from_edges(brushfire_array sources, brushfire_array targets, uint64_t vertices,
                                            const brushfire_graph_options* options, brushfire_graph** graph)
{
  return guarded([&] {
    require_pointer(graph);
    brushfire::EdgeArrays edges{view_of(sources), view_of(targets)};
    if (vertices > 0) edges.vertices = vertices;
    *graph = new brushfire_graph{brushfire::Graph::from_edges(edges, options_of(options))};
  });
}

brushfire_status brushfire_graph_from_csr(brushfire_array offsets, brushfire_array targets,
                                          const brushfire_graph_options* options, brushfire_graph** graph)
{
  return guarded([&] {
    require_pointer(graph);
    brushfire::CsrArrays const rows{view_of(offsets), view_of(targets)};
    *graph = new brushfire_graph{brushfire::Graph::from_csr(rows, options_of(options))};
  });
}

void brushfire_graph_free(brushfire_graph* graph) { delete graph; }

uint64_t brushfire_graph_vertices(const brushfire_graph* graph) { return graph->graph.facts().vertices; }
uint64_t brushfire_graph_edges(const brushfire_graph* graph) { return graph->graph.facts().edges_input; }

int64_t brushfire_graph_find(const brushfire_graph* graph, int64_t label)
{
  std::optional<brushfire::Vertex> vertex;
  guarded([&] { vertex = graph->graph.find(label); });
  return vertex ? static_cast<std::int64_t>(*vertex) : -1;
}

int64_t brushfire_graph_label(const brushfire_graph* graph, uint64_t vertex)
{
  if (vertex >= graph->graph.facts().vertices) return brushfire::no_label;
  return graph->graph.label(static_cast<brushfire::Vertex>(vertex));
}

brushfire_status brushfire_search_new(const brushfire_graph* graph, const brushfire_search_options* options,
                                      brushfire_search** search)
{
  return guarded([&] {
    require_pointer(graph);
    require_pointer(search);
    *search = new brushfire_search{brushfire::Search(graph->graph, options_of(options))};
  });
}

void brushfire_search_free(brushfire_search* search) { delete search; }

brushfire_status brushfire_search_run(brushfire_search* search, int64_t root, const brushfire_limits* limits,
                                      brushfire_result* result)
{
  return guarded([&] {
    require_pointer(search);
    brushfire::SearchLimits stop;
    if (limits != nullptr && limits->target != -1) stop.target = limits->target;
    if (limits != nullptr && limits->max_depth != -1) stop.max_depth = limits->max_depth;
    try {
      search->result = search->search.run(root, stop);
    } catch (...) {
      if (!search->search.has_result()) search->result = {};
      throw;
    }
    auto const& found = search->result;
    if (result != nullptr) *result = {found.root, found.seconds, found.reached, found.depth, found.nedge};
  });
}

brushfire_status brushfire_search_parents(const brushfire_search* search, int64_t* parents, uint64_t room)
{
  return guarded([&] {
    require_run(search);
    require_room(room, search->result.parents.size());
    require_pointer(parents);
    for (std::uint64_t v = 0; v < search->result.parents.size(); ++v) parents[v] = search->result.parents[v];
  });
}

brushfire_status brushfire_search_levels(const brushfire_search* search, int32_t* levels, uint64_t room)
{
  return guarded([&] {
    require_run(search);
    require(!search->result.levels.empty(), "levels were not kept; make the search with the option `levels`");
    require_room(room, search->result.levels.size());
    require_pointer(levels);
    std::copy(search->result.levels.begin(), search->result.levels.end(), levels);
  });
}

brushfire_status brushfire_search_path(const brushfire_search* search, int64_t target, int64_t* path, uint64_t room,
                                       uint64_t* length)
{
  return guarded([&] {
    require_run(search);
    require_pointer(length);
    if (room != 0) require_pointer(path);
    auto const labels = search->search.path_to(target);
    std::copy_n(labels.begin(), std::min<std::uint64_t>(room, labels.size()), path);
    *length = labels.size();
  });
}

brushfire_status brushfire_search_trace(const brushfire_search* search, brushfire_level* levels, uint64_t room,
                                        uint64_t* count)
{
  return guarded([&] {
    require_run(search);
    require_pointer(count);
    if (room != 0) require_pointer(levels);
    auto const records = search->result.trace->records();
    std::transform(
        records.begin(), records.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(room, records.size())),
        levels, [](const brushfire::LevelRecord& record) {
          bool const pull = record.directions[index_of(brushfire::Subgraph::nn)] == brushfire::Direction::pull;
          return brushfire_level{record.level,         record.levels,     pull,          record.frontier,
                                 record.edges_checked, record.discovered, record.seconds};
        });
    *count = records.size();
  });
}

brushfire_status brushfire_search_validate(const brushfire_search* search)
{
  return guarded([&] {
    require_run(search);
    auto const verdict = search->search.validate();
    if (!verdict.valid()) throw Error(ErrorKind::validation, verdict.witness);
  });
}
