// Properties of every search on every graph: random tuples, labels, options and limits against the oracle.
#include "engine/graph_data.hpp"
#include "traverse/search_checks.hpp"

#include <brushfire/search.hpp>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <set>

namespace brushfire {
namespace {

using ::brushfire::testing::Expected;
using ::brushfire::testing::RandomShape;

template <typename T>
std::optional<T> maybe(rc::Gen<T> gen)
{
  return *rc::gen::arbitrary<bool>() ? std::optional<T>(*gen) : std::nullopt;
}

RandomShape any_shape()
{
  return {.vertices = *rc::gen::inRange<std::uint64_t>(1, 400),
          .edges = *rc::gen::inRange<std::uint64_t>(1, 2000),
          .sparse_labels = *rc::gen::arbitrary<bool>(),
          .skewed = *rc::gen::arbitrary<bool>()};
}

SearchOptions any_search()
{
  SearchOptions options;
  options.direction = maybe(rc::gen::element(Direction::push, Direction::pull));
  options.deterministic = *rc::gen::arbitrary<bool>();
  options.levels = true;
  options.wide_parents = *rc::gen::arbitrary<bool>();
  options.threads = *rc::gen::inRange(1, 4);
  options.device = Device::cpu;
  return options;
}

// What the adaptive preset can be told on one device.
SearchOptions any_adaptive_search()
{
  SearchOptions options = any_search();
  using enum FrontierQueue;
  options.queue = options.direction == Direction::push
                      ? maybe(rc::gen::element(scan_free, single_scan, double_scan))
                      : maybe(rc::gen::element(scan_free, single_scan, double_scan, none));
  options.balance =
      maybe(rc::gen::element(PullBalance::static_shares, PullBalance::thread, PullBalance::warp, PullBalance::donate));
  options.async_pull = maybe(rc::gen::arbitrary<bool>());
  return options;
}

GraphOptions any_graph()
{
  return {.directed = *rc::gen::arbitrary<bool>(),
          .threshold = maybe(rc::gen::element<std::uint64_t>(0, 1, 2, 5, 8, 30, plain_threshold)),
          .threads = *rc::gen::inRange(1, 4),
          .device = Device::cpu};
}

void match_the_oracle(std::uint64_t seed, const GraphOptions& graph_options, const SearchOptions& options)
{
  auto const source = testing::random_graph(seed, any_shape());
  RC_LOG(testing::describe(graph_options, options));
  Graph const graph = build_graph(source, graph_options, Progress::none());
  Search search(graph, options);
  for (int repeat = 0; repeat < 3; ++repeat) {
    Label const root = graph.label(*rc::gen::inRange<Vertex>(0, static_cast<Vertex>(graph.facts().vertices)));
    auto const max_depth = maybe(rc::gen::inRange<std::int64_t>(0, 6));
    Expected const expected(source, root, graph_options.directed, max_depth);
    auto const result = search.run(root, {.target = {}, .max_depth = max_depth});
    RC_ASSERT(testing::difference(result, expected, options.deterministic) == std::string());
  }
}

RC_GTEST_PROP(SearchProperty, MatchesTheOracle, (std::uint64_t seed))
{
  match_the_oracle(seed, any_graph(), any_search());
}

RC_GTEST_PROP(SearchProperty, MatchesTheOracleAdaptively, (std::uint64_t seed, bool in_parts))
{
  GraphOptions graph = any_graph();
  graph.preset = Preset::adaptive;
  graph.devices = in_parts ? *rc::gen::inRange(2, 6) : 1;
  SearchOptions options = in_parts ? any_search() : any_adaptive_search();
  options.preset = Preset::adaptive;
  match_the_oracle(seed, graph, options);
}

// The facts of a built graph, counted again from the tuples.
RC_GTEST_PROP(SearchProperty, FactsCountTheTuples, (std::uint64_t seed))
{
  auto const source = testing::random_graph(seed, any_shape());
  GraphOptions const options = any_graph();
  GraphFacts const facts = build_graph(source, options, Progress::none()).facts();
  std::vector<Edge> edges(source->facts().edges);
  source->read(0, edges);
  std::uint64_t self_loops = 0;
  std::set<std::pair<Label, Label>> arcs;
  for (Edge const& edge : edges) {
    if (edge.source == edge.target) {
      ++self_loops;
      continue;
    }
    arcs.insert({edge.source, edge.target});
    if (!options.directed) arcs.insert({edge.target, edge.source});
  }
  RC_ASSERT(facts.edges_input == edges.size());
  RC_ASSERT(facts.self_loops == self_loops);
  RC_ASSERT(facts.edges_stored == arcs.size());
  RC_ASSERT(facts.vertices == Labels::of_source(*source, Team{1}).size());
}

}  // namespace
}  // namespace brushfire
