// Graphs from arrays of the caller's.
#include "base/error.hpp"
#include "engine/graph_data.hpp"
#include "input/caller_arrays.hpp"

#include <brushfire/graph.hpp>

namespace brushfire {

namespace {

// Ranks would each bring arrays of their own, and nothing says whether they are the same.
void require_one_rank(const std::string& name, const GraphOptions& options)
{
  if (spreads(options))
    fail(ErrorKind::usage, "{}: arrays in memory are not spread over several ranks; write them to a file", name);
}

}  // namespace

Graph Graph::from_edges(const EdgeArrays& edges, const GraphOptions& options, Progress& progress)
{
  require_one_rank(edges.name, options);
  return build_graph(tuples_of_edges(edges, Team::of(options.threads)), options, progress);
}

Graph Graph::from_csr(const CsrArrays& rows, const GraphOptions& options, Progress& progress)
{
  require_one_rank(rows.name, options);
  return build_graph(tuples_of_rows(rows, options.directed, Team::of(options.threads)), options, progress);
}

}  // namespace brushfire
