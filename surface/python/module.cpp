// The part of the Python module that is compiled: graphs and searches behind NumPy arrays. What people call is in
// brushfire/__init__.py. The GIL is released wherever a graph is built, searched or judged, so nothing there may touch
// a Python object; arrays that a graph reads are held by it, and let go with the GIL in hand.
#include "gil.hpp"
#include "idle_matrix.hpp"
#include "idle_searches.hpp"
#include "interruptible.hpp"

#include <brushfire/batch_search.hpp>
#include <brushfire/error.hpp>
#include <brushfire/graph.hpp>
#include <brushfire/report.hpp>
#include <brushfire/search.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace brushfire::python {

namespace {

Device device_of(const std::string& name)
{
  for (Device const device : {Device::automatic, Device::cpu, Device::cuda})
    if (name == name_of(device)) return device;
  throw Error(ErrorKind::usage, "device is 'auto', 'cpu' or 'cuda', not '" + name + "'");
}

std::optional<Direction> direction_of(const std::string& name)
{
  for (Direction const direction : {Direction::push, Direction::pull})
    if (name == name_of(direction)) return direction;
  if (name == "auto") return std::nullopt;
  throw Error(ErrorKind::usage, "direction is 'auto', 'push' or 'pull', not '" + name + "'");
}

template <typename Integer>
IntegersView view_as(const void* first, py::ssize_t size, py::ssize_t stride)
{
  return {static_cast<const Integer*>(first), static_cast<std::uint64_t>(size), stride};
}

// Of `bytes` each, 4 or 8.
IntegersView view_of(const void* first, py::ssize_t size, py::ssize_t stride, py::ssize_t bytes, bool is_signed)
{
  if (bytes == 8)
    return is_signed ? view_as<std::int64_t>(first, size, stride) : view_as<std::uint64_t>(first, size, stride);
  return is_signed ? view_as<std::int32_t>(first, size, stride) : view_as<std::uint32_t>(first, size, stride);
}

// Integers in the memory of a GPU, and the Python object they belong to.
struct IntegersOnGpu {
  std::uintptr_t pointer;
  py::ssize_t size, stride, bytes;
  bool is_signed;
  py::object owner;
};

// Of a NumPy array or of integers on a GPU; the caller has made sure that it is one of these, of 32 or 64 bits.
IntegersView view_of(const py::object& integers)
{
  if (py::isinstance<IntegersOnGpu>(integers)) {
    auto const& there = integers.cast<const IntegersOnGpu&>();
    // NOLINTNEXTLINE(performance-no-int-to-ptr): told so
    auto const* const first = reinterpret_cast<const void*>(there.pointer);
    return view_of(first, there.size, there.stride, there.bytes, there.is_signed).on_gpu();
  }
  auto const array = integers.cast<py::array>();
  return view_of(array.data(), array.shape(0), array.strides(0), array.itemsize(), array.dtype().kind() == 'i');
}

std::shared_ptr<const void> owner_of(const py::object& first, const py::object& second)
{
  auto* const arrays = new std::pair<py::object, py::object>(first, second);
  return {arrays, [](std::pair<py::object, py::object>* held) {
            WithGil const gil;
            delete held;
          }};
}

GraphOptions graph_options(bool directed, int threads, const std::string& device, int devices)
{
  GraphOptions options;
  options.directed = directed;
  options.threads = threads;
  options.device = device_of(device);
  options.devices = devices;
  return options;
}

// What one search found, in arrays of its own.
struct Found {
  Label root;
  double seconds;
  std::uint64_t nedge, reached;
  std::int64_t depth;
  std::optional<std::int64_t> max_depth;
  bool whole;                         // it was not stopped at a target
  py::array_t<std::int64_t> parents;  // by vertex
  py::array_t<std::int32_t> levels;
  std::vector<LevelRecord> trace;
};

// What many searches found together, in an array of its own.
struct FoundByMany {
  std::vector<Label> sources;
  py::array_t<std::int32_t> levels;  // a row for each source, by vertex
  std::vector<std::uint64_t> reached;
  std::vector<std::int64_t> depths;
  double seconds;
};

// Of the options, those that Python offers.
bool same_search(const SearchOptions& one, const SearchOptions& other)
{
  return one.direction == other.direction && one.deterministic == other.deterministic && one.threads == other.threads &&
         one.device == other.device;
}
bool same_batch(const BatchOptions& one, const BatchOptions& other)
{
  return one.direction == other.direction && one.threads == other.threads && one.device == other.device;
}

// A graph, and the searches on it that are idle: their buffers serve the next one who searches in the same way.
class SearchedGraph {
 public:
  explicit SearchedGraph(Graph graph) : graph_(std::move(graph)) {}

  const Graph& graph() const { return graph_; }

  Found bfs(Label root, const SearchLimits& limits, const SearchOptions& options)
  {
    std::optional<Search> search;
    SearchResult result;
    {
      WithoutGil const released;
      search.emplace(with_what_is_idle([&] { return searches_.take(graph_, options); }));
      result = search->run(root, limits);
    }
    Found found{root,
                result.seconds,
                result.nedge,
                result.reached,
                result.depth,
                limits.max_depth,
                !limits.target,
                py::array_t<std::int64_t>(static_cast<py::ssize_t>(result.parents.size())),
                py::array_t<std::int32_t>(static_cast<py::ssize_t>(result.levels.size())),
                result.trace->records()};
    std::int64_t* const parents = found.parents.mutable_data();
    std::int32_t* const levels = found.levels.mutable_data();
    WithoutGil const released;
    for (std::uint64_t v = 0; v < result.parents.size(); ++v) parents[v] = result.parents[v];
    std::copy(result.levels.begin(), result.levels.end(), levels);
    searches_.give_back(options, std::move(*search));
    return found;
  }

  FoundByMany bfs_many(const std::vector<Label>& sources, const BatchOptions& options)
  {
    auto const rows = static_cast<py::ssize_t>(sources.size());
    auto const columns = static_cast<py::ssize_t>(graph_.facts().vertices);
    std::optional<IdleMatrix::Array> matrix = matrix_->take(rows * columns);
    std::optional<BatchSearch> search;
    {
      WithoutGil const released;
      search.emplace(with_what_is_idle([&] { return batches_.take(graph_, options); }));
      if (!matrix) with_what_is_idle([&] { search->require_room_for_rows(sources.size()); });
    }
    if (!matrix) matrix = IdleMatrix::Array(rows * columns);
    FoundByMany found{sources, IdleMatrix::lend(matrix_, std::move(*matrix), rows, columns), {}, {}, 0};
    auto const levels = std::span(found.levels.mutable_data(), static_cast<std::size_t>(found.levels.size()));
    Interruptible progress;
    BatchResult const result =
        progress.run([&] { return search->run_into(levels, sources, [&](const BatchLevel&) { progress.look(); }); });
    for (SourceResult const& source : result.sources) {
      found.reached.push_back(source.reached);
      found.depths.push_back(source.depth);
    }
    found.seconds = result.seconds;
    batches_.give_back(options, std::move(*search));
    return found;
  }

 private:
  // Does what may be refused for want of memory: before it is, all that is idle is let go. Without the GIL.
  template <typename Work>
  std::invoke_result_t<Work&> with_what_is_idle(Work&& work)
  {
    try {
      return work();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::memory || !let_go()) throw;
      return work();
    }
  }
  bool let_go()
  {
    bool const any_search = searches_.let_go(), any_batch = batches_.let_go();
    WithGil const gil;
    return matrix_->let_go() || any_search || any_batch;
  }

  Graph graph_;
  IdleSearches<Search, SearchOptions, same_search, 4> searches_;
  IdleSearches<BatchSearch, BatchOptions, same_batch, 1> batches_;       // large
  std::shared_ptr<IdleMatrix> matrix_ = std::make_shared<IdleMatrix>();  // large too
};

using Shared = std::unique_ptr<SearchedGraph>;

Shared open(const std::string& spec, const GraphOptions& options)
{
  Interruptible progress;
  return progress.run([&] { return std::make_unique<SearchedGraph>(Graph::open(spec, options, progress)); });
}

Shared from_edges(const py::object& sources, const py::object& targets, std::optional<std::uint64_t> vertices,
                  const GraphOptions& options)
{
  EdgeArrays edges{view_of(sources), view_of(targets), vertices, owner_of(sources, targets)};
  Interruptible progress;
  return progress.run([&] { return std::make_unique<SearchedGraph>(Graph::from_edges(edges, options, progress)); });
}

Shared from_csr(const py::object& offsets, const py::object& targets, const GraphOptions& options)
{
  CsrArrays rows{view_of(offsets), view_of(targets), owner_of(offsets, targets)};
  Interruptible progress;
  return progress.run([&] { return std::make_unique<SearchedGraph>(Graph::from_csr(rows, options, progress)); });
}

py::array_t<std::int64_t> labels_of(const SearchedGraph& searched)
{
  const Graph& graph = searched.graph();
  py::array_t<std::int64_t> labels(static_cast<py::ssize_t>(graph.facts().vertices));
  std::int64_t* const out = labels.mutable_data();
  for (Vertex v = 0; v < graph.facts().vertices; ++v) out[v] = graph.label(v);
  return labels;
}

Verdict judge(const SearchedGraph& searched, Label root, const py::array_t<std::int64_t, py::array::c_style>& parents,
              std::optional<std::int64_t> max_depth)
{
  ParentsView const view(parents.data(), static_cast<std::uint64_t>(parents.size()));
  Interruptible progress;
  return progress.run([&] { return validate_parents(searched.graph(), root, view, max_depth, progress); });
}

std::vector<Label> sources_of(const SearchedGraph& searched, std::size_t count, std::uint64_t seed)
{
  WithoutGil const released;
  return random_sources(searched.graph(), count, seed);
}

void copy_to_host(const py::array& to, std::uintptr_t from)
{
  py::array target = to;
  void* const start = target.mutable_data();
  auto const bytes = static_cast<std::size_t>(target.nbytes());
  WithoutGil const released;
  copy_from_gpu(start, reinterpret_cast<const void*>(from), bytes);  // NOLINT(performance-no-int-to-ptr): told so
}

// One type for each kind of error, each also what Python would call it.
void translate_errors(py::module_& module)
{
  auto const define = [&](const char* name, const py::object& bases) {
    std::string const full = std::string("brushfire.") + name;
    auto type = py::reinterpret_steal<py::object>(PyErr_NewException(full.c_str(), bases.ptr(), nullptr));
    if (!type) throw py::error_already_set();
    module.attr(name) = type;
    return type;
  };
  auto const borrowed = [](PyObject* type) { return py::reinterpret_borrow<py::object>(type); };
  static py::object error, kinds[6];  // kept alive to the end of the process, as modules are
  error = define("Error", borrowed(PyExc_RuntimeError));
  kinds[1] = error;
  kinds[2] = define("UsageError", py::make_tuple(error, borrowed(PyExc_ValueError)));
  kinds[3] = define("ValidationError", error);
  kinds[4] = define("MemoryNeededError", py::make_tuple(error, borrowed(PyExc_MemoryError)));
  kinds[5] = define("InputError", py::make_tuple(error, borrowed(PyExc_ValueError)));
  error.inc_ref();
  for (auto& kind : kinds) kind.inc_ref();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const Error& caught) {
      PyErr_SetString(kinds[static_cast<int>(caught.kind())].ptr(), caught.what());
    }
  });
}

}  // namespace

}  // namespace brushfire::python

PYBIND11_MODULE(_brushfire, module)
{
  using namespace brushfire;
  using namespace brushfire::python;
  module.doc() = "Graphs and searches behind NumPy arrays; what people call is in the package brushfire.";
  module.attr("__version__") = version();
  translate_errors(module);

  module.def("names_generator", &names_generator, py::arg("spec"));
  py::class_<GraphOptions>(module, "GraphOptions")
      .def(py::init(&graph_options), py::arg("directed"), py::arg("threads"), py::arg("device"), py::arg("devices"));
  py::class_<IntegersOnGpu>(module, "IntegersOnGpu")
      .def(py::init([](std::uintptr_t pointer, py::ssize_t size, py::ssize_t stride, py::ssize_t bytes, bool is_signed,
                       py::object owner) {
             return IntegersOnGpu{pointer, size, stride, bytes, is_signed, std::move(owner)};
           }),
           py::arg("pointer"), py::arg("size"), py::arg("stride"), py::arg("bytes"), py::arg("is_signed"),
           py::arg("owner"));
  py::class_<LevelRecord>(module, "LevelRecord")
      .def_readonly("level", &LevelRecord::level)
      .def_readonly("levels", &LevelRecord::levels)
      .def(
          "direction", [](const LevelRecord& record, bool plain) { return human_directions(record.directions, plain); },
          py::arg("plain"))
      .def_readonly("frontier", &LevelRecord::frontier)
      .def_readonly("edges_checked", &LevelRecord::edges_checked)
      .def_readonly("discovered", &LevelRecord::discovered)
      .def_readonly("seconds", &LevelRecord::seconds);
  py::class_<Found>(module, "Found")
      .def_readonly("root", &Found::root)
      .def_readonly("seconds", &Found::seconds)
      .def_readonly("nedge", &Found::nedge)
      .def_readonly("reached", &Found::reached)
      .def_readonly("depth", &Found::depth)
      .def_readonly("max_depth", &Found::max_depth)
      .def_readonly("whole", &Found::whole)
      .def_readonly("parents", &Found::parents)
      .def_readonly("levels", &Found::levels)
      .def_readonly("trace", &Found::trace);
  py::class_<FoundByMany>(module, "FoundByMany")
      .def_readonly("sources", &FoundByMany::sources)
      .def_readonly("levels", &FoundByMany::levels)
      .def_readonly("reached", &FoundByMany::reached)
      .def_readonly("depths", &FoundByMany::depths)
      .def_readonly("seconds", &FoundByMany::seconds);
  py::class_<Verdict>(module, "Verdict")
      .def_readonly("broken_rule", &Verdict::broken_rule)
      .def_readonly("witness", &Verdict::witness);

  py::class_<SearchedGraph>(module, "Graph")
      .def_static("open", &python::open, py::arg("spec"), py::arg("options"))
      .def_static("from_edges", &python::from_edges, py::arg("sources"), py::arg("targets"), py::arg("vertices"),
                  py::arg("options"))
      .def_static("from_csr", &python::from_csr, py::arg("offsets"), py::arg("targets"), py::arg("options"))
      .def_property_readonly("name", [](const SearchedGraph& self) { return self.graph().facts().name; })
      .def_property_readonly("directed", [](const SearchedGraph& self) { return self.graph().facts().directed; })
      .def_property_readonly("vertices", [](const SearchedGraph& self) { return self.graph().facts().vertices; })
      .def_property_readonly("plain", [](const SearchedGraph& self) { return self.graph().facts().delegates == 0; })
      .def_property_readonly("edges", [](const SearchedGraph& self) { return self.graph().facts().edges_input; })
      .def("labels", &labels_of)
      .def(
          "find", [](const SearchedGraph& self, Label label) { return self.graph().find(label); }, py::arg("label"))
      .def("random_sources", &sources_of, py::arg("count"), py::arg("seed"))
      .def(
          "bfs",
          [](SearchedGraph& self, Label root, std::optional<Label> target, std::optional<std::int64_t> max_depth,
             const std::string& direction, bool deterministic, int threads, const std::string& device) {
            SearchOptions options;
            options.levels = true;
            options.direction = direction_of(direction);
            options.deterministic = deterministic;
            options.threads = threads;
            options.device = device_of(device);
            return self.bfs(root, {target, max_depth}, options);
          },
          py::arg("root"), py::arg("target"), py::arg("max_depth"), py::arg("direction"), py::arg("deterministic"),
          py::arg("threads"), py::arg("device"))
      .def(
          "bfs_many",
          [](SearchedGraph& self, const std::vector<Label>& sources, const std::string& direction, int threads,
             const std::string& device) {
            BatchOptions options;
            options.levels = true;
            options.direction = direction_of(direction);
            options.threads = threads;
            options.device = device_of(device);
            return self.bfs_many(sources, options);
          },
          py::arg("sources"), py::arg("direction"), py::arg("threads"), py::arg("device"))
      .def("judge", &judge, py::arg("root"), py::arg("parents"), py::arg("max_depth"));

  module.def("copy_from_gpu", &copy_to_host, py::arg("to"), py::arg("pointer"));
}
