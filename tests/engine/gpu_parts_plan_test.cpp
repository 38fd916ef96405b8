// The plan of a graph in parts on a GPU holds: the graph and a search that asks for all there is to ask take no more,
// with hubs and without any.
#include "device/buffer.hpp"
#include "gpu.hpp"

#include <brushfire/graph.hpp>
#include <brushfire/search.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brushfire {
namespace {

class GpuPartsPlan : public testing::NeedsGpu<> {};

TEST_F(GpuPartsPlan, IsNeverExceeded)
{
  for (std::string const spec : {"kron:13", "grid:100x100", "star:3000"}) {
    for (std::optional<std::uint64_t> const threshold :
         std::vector<std::optional<std::uint64_t>>{std::nullopt, 2, plain_threshold}) {
      SCOPED_TRACE(spec + (threshold ? " threshold " + std::to_string(*threshold) : ""));
      GraphOptions options;
      options.devices = 2;
      options.device = Device::cuda;
      options.threshold = threshold;
      SearchOptions way;
      way.device = Device::cuda;
      way.deterministic = way.levels = way.uniquify = true;
      MemoryPlan const plan = plan_memory(spec, options, way);
      std::uint64_t const before = device::allocated_bytes();
      Graph const graph = Graph::open(spec, options);
      Search search(graph, way);
      for (Label const root : random_sources(graph, 2, 3)) search.run(root);
      std::uint64_t planned = 0;  // what stays: all but what is there while building only
      for (const PlannedBytes& item : plan.items)
        if (item.what != "while building only") planned += item.bytes;
      EXPECT_LE(device::allocated_bytes() - before, planned);
    }
  }
}

}  // namespace
}  // namespace brushfire
