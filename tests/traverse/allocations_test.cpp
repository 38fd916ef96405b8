// A search by the butterfly allocates nothing: its buffers are bounded by the vertices there are, and made before.
// Large buffers may come from the system, and are not counted then; steppers make them only when they are made
// themselves.
#include "traverse/allocations.hpp"

#include "engine/backend.hpp"

#include <brushfire/search.hpp>

#include <gtest/gtest.h>

#include <new>

namespace brushfire {
namespace {

using testing::allocations;
using testing::counting_allocations;

TEST(Allocations, AreSeen)
{
  allocations = 0;
  counting_allocations = true;
  ::operator delete(::operator new(1));  // a new-expression may be optimized away
  counting_allocations = false;
  EXPECT_GT(allocations, 0u);
}

TEST(Allocations, AreNoneWhileAButterflySearches)
{
  for (int const devices : {1, 2, 5, 9})
    for (int const fanout : {1, 4}) {
      SCOPED_TRACE(std::to_string(devices) + " devices, fan-out " + std::to_string(fanout));
      int const threads = 2 * devices;  // which share the pushes of a device
      GraphOptions options{.threads = threads, .device = Device::cpu, .preset = Preset::butterfly};
      options.devices = devices;
      Graph const graph = Graph::open("kron:15", options);
      SearchOptions way;
      way.threads = threads;
      way.device = Device::cpu;
      way.preset = Preset::butterfly;
      way.fanout = fanout;
      way.results_on_host = false;
      auto const backend = make_parts_backend(graph.data(), way);
      std::vector<std::uint64_t> roots;
      for (Label const root : random_sources(graph, 4, 3)) roots.push_back(*graph.data().find(root));
      Trace trace;
      backend->search(roots[0], {}, trace);  // records of levels have their room after it
      for (std::size_t i = 1; i < roots.size(); ++i) {
        allocations = 0;
        counting_allocations = true;
        backend->search(roots[i], {}, trace);
        counting_allocations = false;
        EXPECT_EQ(allocations, 0u);
        EXPECT_GT(backend->take_tree(trace).reached, 1u);
      }
    }
}

}  // namespace
}  // namespace brushfire
