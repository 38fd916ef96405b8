#include "build/block.hpp"

#include "engine/graph_data.hpp"
#include "engine/parted_graph.hpp"

#include <brushfire/graph.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace brushfire {
namespace {

// Who is in most of the lists that a block pulls stands in front in all of them.
TEST(BlockBuilder, PulledListsBeginWithWhoIsInMost)
{
  for (Preset const preset : {Preset::grid, Preset::butterfly})
    for (int const devices : {1, 4}) {
      GraphOptions options{.threads = 2, .device = Device::cpu, .preset = preset};
      options.devices = devices;
      Graph const graph = Graph::open("uniform:12", options);
      for (int index = 0; index < devices; ++index) {
        const Block& block = graph.data().in_parts().place(index).block;
        SubgraphView const lists = block.pulled();
        std::vector<std::uint32_t> occurrences(block.pulled_sources().slots());
        for (EdgeIndex e = 0; e < lists.entries; ++e) ++occurrences[lists.target(e)];
        std::uint64_t falls = 0, rises = 0;
        for (Vertex v = 0; v < block.pulling_targets().slots(); ++v) {
          EntryRange const row = lists.row(v);
          for (EdgeIndex e = row.first + 1; e < row.last; ++e) {
            ASSERT_NE(lists.target(e - 1), lists.target(e));
            ++(occurrences[lists.target(e - 1)] < occurrences[lists.target(e)] ? rises : falls);
          }
        }
        // They are ranked before duplicates are dropped, of which this graph has few.
        EXPECT_LT(rises, falls / 10) << name_of(preset) << " on " << devices;
        EXPECT_GT(falls, 0u);
      }
    }
}

}  // namespace
}  // namespace brushfire
