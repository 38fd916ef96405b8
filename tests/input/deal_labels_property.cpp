// Labels dealt to any number of devices, in blocks of any size, whatever the graph.
#include "dealt_graphs.hpp"

#include <rapidcheck/gtest.h>

namespace brushfire {
namespace {

RC_GTEST_PROP(DealLabelsProperty, EveryLabelHasOneOwnerAndEveryTupleComesBack, (std::uint64_t seed))
{
  // Labels drawn from a narrow range are now consecutive, now full of gaps.
  auto const label = rc::gen::oneOf(rc::gen::inRange<Label>(0, 12), rc::gen::inRange<Label>(0, 1000),
                                    rc::gen::inRange<Label>(largest_label - 50, largest_label));
  auto const ends = *rc::gen::container<std::vector<std::pair<Label, Label>>>(rc::gen::pair(label, label));
  std::vector<Edge> edges;
  for (auto const& [source, target] : ends) edges.push_back({source, target});
  auto const source = *rc::gen::arbitrary<bool>()
                          ? testing::make_source("any", edges)
                          : testing::random_graph(seed, {.vertices = 60, .edges = 90, .sparse_labels = true});
  int const devices = *rc::gen::inRange(1, 9);
  testing::expect_dealt(*source, devices, testing::dealt(*source, devices, *rc::gen::inRange<std::uint64_t>(1, 50)));
  RC_ASSERT(!::testing::Test::HasFailure());
}

}  // namespace
}  // namespace brushfire
