// Adjacency lists of vectors, duplicates and self-loops left in, and a queue that doubles as the list of what was
// reached. Nothing here is fast, and nothing may become so: its worth is that it can be checked by reading.
#include "validate/oracle.hpp"

#include "base/error.hpp"

namespace brushfire {

OracleResult oracle_search(const EdgeSource& source, const Labels& labels, Label root, bool directed,
                           std::optional<std::int64_t> max_depth)
{
  auto const root_vertex = labels.find(root);
  if (!root_vertex) fail(ErrorKind::usage, "the source {} is not in the graph {}", root, source.facts().name);

  std::vector<Edge> edges(source.facts().edges);
  source.read(0, edges);
  std::vector<std::vector<Vertex>> neighbours(labels.size());
  for (Edge const& edge : edges) {
    Vertex const u = *labels.find(edge.source);
    Vertex const v = *labels.find(edge.target);
    neighbours[u].push_back(v);
    if (!directed) neighbours[v].push_back(u);
  }

  OracleResult result;
  result.levels.assign(labels.size(), unreached);
  result.levels[*root_vertex] = 0;
  std::vector<Vertex> queue{*root_vertex};
  for (std::size_t next = 0; next < queue.size(); ++next) {
    Vertex const u = queue[next];
    result.depth = result.levels[u];
    if (result.depth == max_depth) continue;
    for (Vertex const v : neighbours[u]) {
      if (result.levels[v] != unreached) continue;
      result.levels[v] = result.levels[u] + 1;
      queue.push_back(v);
    }
  }
  result.reached = queue.size();

  auto const reached = [&](Label label) { return result.levels[*labels.find(label)] != unreached; };
  for (Edge const& edge : edges)
    result.nedge += edge.source != edge.target && reached(edge.source) && reached(edge.target);
  if (source.facts().listed_twice && !directed) result.nedge /= 2;
  return result;
}

}  // namespace brushfire
