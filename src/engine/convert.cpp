// Writing a graph in another format, and judging a parent array.
#include "base/error.hpp"
#include "build/bfg.hpp"
#include "build/layout_edges.hpp"
#include "engine/graph_data.hpp"
#include "engine/open.hpp"
#include "input/format.hpp"
#include "input/vertex_values.hpp"
#include "input/writer.hpp"
#include "validate/validate.hpp"

#include <brushfire/graph.hpp>
#include <brushfire/search.hpp>

namespace brushfire {

namespace {

void require_source(const Labels& labels, Label root, const std::string& name)
{
  if (!labels.find(root)) fail(ErrorKind::usage, "source {} is not in {}", root, name);
}

}  // namespace

void require_graph_file(const std::filesystem::path& output)
{
  if (output.extension() != ".bfg") require_known_format(output);
}

void write_graph(const std::string& spec, const std::filesystem::path& output, bool raw, const GraphOptions& options,
                 Progress& progress)
{
  Team const team = Team::of(options.threads);
  bool const to_bfg = output.extension() == ".bfg";
  if (raw) {
    if (to_bfg)
      fail(ErrorKind::usage, "{}: a .bfg file holds a built graph, not raw tuples; write .el", output.string());
    write_tuples(*open_tuples(spec, team, progress), output, team, progress);
    return;
  }
  require_graph_file(output);  // before the work, not after it
  GraphOptions on_host = options;
  on_host.device = Device::cpu;  // rows are written from there
  Graph const graph = Graph::open(spec, on_host, progress);
  graph.verify_stored();
  const GraphData& data = graph.data();
  if (to_bfg)
    write_bfg(output, data.layout(), data.labels, {data.facts.edges_input, data.facts.self_loops, data.facts.entries});
  else
    write_graph_file(LayoutListing(data.layout(), data.labels), output, team, progress);
}

Verdict validate_file(const std::string& spec, Label root, const std::filesystem::path& file,
                      const GraphOptions& options, Progress& progress)
{
  Team const team = Team::of(options.threads);
  if (names_stored_graph(spec)) {
    Graph const stored = Graph::open(spec, options, progress);
    stored.verify_stored();
    require_source(stored.data().labels, root, spec);
    std::vector<Label> const parents = read_vertex_values(file, stored.data().labels);
    return validate_parents(stored, root, {parents.data(), parents.size()}, {}, progress);
  }
  auto const source = open_tuples(spec, team, progress);  // nothing is built: the tuples judge
  Labels const labels = Labels::of_source(*source, team);
  require_source(labels, root, spec);
  std::vector<Label> const parents = read_vertex_values(file, labels);
  TreeRules const rules{options.directed || source->facts().directed, {}};
  return validate_tree(*source, labels, root, {parents.data(), parents.size()}, rules, team, progress);
}

Verdict validate_parents(const Graph& graph, Label root, ParentsView parents, std::optional<std::int64_t> max_depth,
                         Progress& progress)
{
  const GraphData& data = graph.data();
  const std::string& name = graph.facts().name;
  if (graph.facts().ranks > 1)
    fail(ErrorKind::usage, "{}: is spread over {} ranks, and parents in one place cannot be judged", name,
         graph.facts().ranks);
  require_source(data.labels, root, name);
  if (parents.size() != data.labels.size())
    fail(ErrorKind::usage, "{}: there are {} parents, and {} vertices", name, parents.size(), data.labels.size());
  Team const team = Team::of(data.options.threads);
  TreeRules const rules{graph.facts().directed, max_depth};
  Verdict verdict = validate_tree(*data.source, data.labels, root, parents, rules, team, progress);
  // A stored graph has lost its duplicates, but not how many there were.
  if (data.stored_in != nullptr && verdict.valid()) verdict.nedge = tuples_in_tree(data.layout(), parents, team);
  return verdict;
}

}  // namespace brushfire
