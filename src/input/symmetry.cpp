#include "input/symmetry.hpp"

#include "base/error.hpp"
#include "base/mixed.hpp"
#include "input/edge_blocks.hpp"

#include <algorithm>
#include <vector>

namespace brushfire {

namespace {

using Pass = std::function<void(const TakeTuples&)>;

// A vertex whose targets are not its sources, told by the hashes of both: 8 bytes per vertex.
Label unbalanced_vertex(const Pass& pass, LabelRange range)
{
  std::vector<std::uint64_t> balance(range.count);
  pass([&](std::span<const Edge> edges) {
    for (Edge const& edge : edges) {
      balance[static_cast<std::size_t>(edge.source - range.first)] += mixed(static_cast<std::uint64_t>(edge.target));
      balance[static_cast<std::size_t>(edge.target - range.first)] -= mixed(static_cast<std::uint64_t>(edge.source));
    }
  });
  auto const found = std::find_if(balance.begin(), balance.end(), [](std::uint64_t sum) { return sum != 0; });
  return range.first + (found - balance.begin());
}

}  // namespace

std::uint64_t imbalance_of(const EdgeSource& source, Team team)
{
  std::atomic<std::uint64_t> balance{0};
  for_each_edge_block(source, team, Progress::none(), [&](std::uint64_t, std::span<const Edge> edges, int) {
    std::uint64_t sum = 0;
    for (Edge const& edge : edges) sum += tuple_hash(edge.source, edge.target) - tuple_hash(edge.target, edge.source);
    balance.fetch_add(sum, std::memory_order_relaxed);  // read after the loop only
  });
  return balance;
}

void name_witness(const EdgeFacts& facts, const Pass& pass)
{
  Label const vertex = unbalanced_vertex(pass, *facts.declared);
  std::vector<Label> targets, sources;
  pass([&](std::span<const Edge> edges) {
    for (Edge const& edge : edges) {
      if (edge.source == vertex) targets.push_back(edge.target);
      if (edge.target == vertex) sources.push_back(edge.source);
    }
  });
  std::sort(targets.begin(), targets.end());
  std::sort(sources.begin(), sources.end());
  targets.push_back(largest_label);
  sources.push_back(largest_label);
  auto const [target, origin] = std::mismatch(targets.begin(), targets.end(), sources.begin());
  bool const forward = *target < *origin;  // the smaller one is missing on the other side
  Label const from = forward ? vertex : *origin;
  Label const to = forward ? *target : vertex;
  fail(ErrorKind::input,
       "{}: the list of {} names {} more often than the list of {} names {}; an undirected graph lists both",
       facts.name, from, to, to, from);
}

}  // namespace brushfire
