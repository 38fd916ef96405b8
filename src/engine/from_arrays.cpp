// Graphs from arrays of the caller's.
#include "base/buffer.hpp"
#include "base/error.hpp"
#include "device/gpus.hpp"
#include "engine/graph_data.hpp"
#include "engine/plan.hpp"
#include "engine/stage_ranges.hpp"
#include "input/caller_arrays.hpp"

#include <brushfire/graph.hpp>

#include <memory>
#include <utility>

namespace brushfire {

namespace {

// Ranks would each bring arrays of their own, and nothing says whether they are the same.
void require_one_rank(const std::string& name, const GraphOptions& options)
{
  if (spreads(options))
    fail(ErrorKind::usage, "{}: arrays in memory are not spread over several ranks; write them to a file", name);
}

// Whether arrays of so many tuples are read where they are, in the memory of the GPU that builds the graph.
bool reads_on_gpu(const IntegersView& one, const IntegersView& other, const GraphOptions& options)
{
  auto const is_there = [](const IntegersView& array) {
    return array.is_on_gpu() && array.size() != 0 && device::is_on_this_gpu(array.first());
  };
  constexpr bool store_tuples = false;
  return !wants_parts(options) && builds_on_gpu(options, other.size(), store_tuples) && is_there(one) &&
         is_there(other);
}

// The same array on the host, held by the owner together with what that held before.
IntegersView brought_over(const IntegersView& array, std::shared_ptr<const void>& owner)
{
  if (!array.is_on_gpu()) return array;
  struct Held {
    Buffer<std::byte> bytes;
    std::shared_ptr<const void> before;
  };
  auto const held = std::make_shared<Held>();
  IntegersView const view = brought_to_host(array, held->bytes);
  held->before = std::move(owner);
  owner = held;
  return view;
}

void bring_over_unless_read_there(IntegersView& one, IntegersView& other, std::shared_ptr<const void>& owner,
                                  const GraphOptions& options)
{
  if (reads_on_gpu(one, other, options)) return;
  one = brought_over(one, owner);
  other = brought_over(other, owner);
}

}  // namespace

Graph Graph::from_edges(const EdgeArrays& given, const GraphOptions& options, Progress& shown)
{
  require_sense(options);
  StageRanges progress(shown);
  require_one_rank(given.name, options);
  EdgeArrays edges = given;
  bring_over_unless_read_there(edges.sources, edges.targets, edges.owner, options);
  return build_graph(tuples_of_edges(edges, Team::of(options.threads)), options, progress);
}

Graph Graph::from_csr(const CsrArrays& given, const GraphOptions& options, Progress& shown)
{
  require_sense(options);
  StageRanges progress(shown);
  require_one_rank(given.name, options);
  CsrArrays rows = given;
  bring_over_unless_read_there(rows.offsets, rows.targets, rows.owner, options);
  return build_graph(tuples_of_rows(rows, options.directed, Team::of(options.threads)), options, progress);
}

}  // namespace brushfire
