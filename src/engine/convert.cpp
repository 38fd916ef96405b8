// Commands that go from file to file: writing a graph in another format, judging a parent array.
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

namespace brushfire {

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
  if (!to_bfg) require_known_format(output);  // before the work, not after it
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
  std::shared_ptr<const EdgeSource> source;
  std::optional<Graph> stored;
  if (names_stored_graph(spec)) {
    stored = Graph::open(spec, options, progress);
    stored->verify_stored();
    source = stored->data().source;
  } else {
    source = open_tuples(spec, team, progress);  // nothing is built: the tuples judge
  }
  Labels const labels = stored ? stored->data().labels : Labels::of_source(*source, team);
  if (!labels.find(root)) fail(ErrorKind::usage, "source {} is not in {}", root, spec);
  std::vector<Label> const parents = read_vertex_values(file, labels);
  TreeRules const rules{options.directed || source->facts().directed, {}};
  ParentsView const view(parents.data(), parents.size());
  Verdict verdict = validate_tree(*source, labels, root, view, rules, team, progress);
  // A stored graph has lost its duplicates, but not how many there were.
  if (stored && verdict.valid()) verdict.nedge = tuples_in_tree(stored->data().layout(), view, team);
  return verdict;
}

}  // namespace brushfire
