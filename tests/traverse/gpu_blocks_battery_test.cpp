// The battery over GPUs that have blocks of a plain graph, which on one GPU share it: ring, grid and butterfly. Then
// larger graphs, level by level against the same blocks on the CPU: the same vertices, the same messages.
#include "device/buffer.hpp"
#include "engine/graph_data.hpp"
#include "engine/parted_graph.hpp"
#include "gpu.hpp"
#include "input/generator.hpp"
#include "traverse/cuda/block_stepper.hpp"
#include "traverse/search_battery.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace brushfire {
namespace {

using testing::BatteryCase;
using testing::block_presets;
using testing::build;
using testing::ways_in_blocks;

class GpuBlocksBattery : public testing::NeedsGpu<::testing::TestWithParam<BatteryCase>> {};

TEST_P(GpuBlocksBattery, MatchesTheOracle) { testing::blocks_match_the_oracle(GetParam(), Device::cuda, {1, 2, 3}); }

TEST_P(GpuBlocksBattery, MatchesTheOracleInLargerGroups)
{
  testing::blocks_match_the_oracle(testing::from_few_roots(GetParam()), Device::cuda, {4, 7, 8, 16});
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuBlocksBattery, ::testing::ValuesIn(testing::battery()), testing::test_name);

class GpuBlocks : public testing::NeedsGpu<> {};

TEST_F(GpuBlocks, MatchTheOracleOnRandomGraphs)
{
  testing::blocks_match_the_oracle_on_random_graphs(Device::cuda, 200);
}

TEST_F(GpuBlocks, StopAtTheDepthLimit)
{
  for (auto const& graph : testing::battery())
    for (Preset const preset : block_presets) {
      SCOPED_TRACE(graph.name);
      testing::stops_at_the_depth_limit(graph, {ways_in_blocks(preset, Device::cuda).back()}, {std::nullopt}, 3);
    }
}

TEST_F(GpuBlocks, FindThePathToATarget)
{
  for (auto const& graph : testing::battery())
    for (Preset const preset : block_presets) {
      SCOPED_TRACE(graph.name);
      testing::finds_the_path_to_a_target(graph, ways_in_blocks(preset, Device::cuda).front(), std::nullopt, 4);
    }
}

// What the steppers of all blocks say that they allocate, with degrees to count the tuples of a tree.
std::uint64_t predicted_bytes(const Graph& graph, Preset preset)
{
  const PartedGraph& parts = graph.data().in_parts();
  std::uint64_t bytes = 0;
  for (int index = 0; index < parts.devices_here(); ++index) {
    const PartedGraph::Place& place = parts.place(index);
    BlockSizes const sizes{
        .own = place.labels.size(), .sources = place.block.sources().slots(), .targets = place.block.targets().slots()};
    bytes +=
        sizes.own * sizeof(std::uint32_t) + (preset == Preset::ring   ? predict_gpu_ring_stepper_bytes(sizes)
                                             : preset == Preset::grid ? predict_gpu_grid_stepper_bytes(sizes)
                                                                      : predict_gpu_butterfly_stepper_bytes(sizes));
  }
  return bytes;
}

TEST_F(GpuBlocks, TakeWhatIsPredicted)
{
  for (Preset const preset : block_presets)
    for (std::string const spec : {"kron:14", "star:40000"}) {
      SCOPED_TRACE(std::string(name_of(preset)) + " " + spec);
      Graph const graph = build(open_generator(spec), false, std::nullopt, Device::cuda, 3, preset);
      SearchOptions way = testing::search_on(Device::cuda);
      way.preset = preset;
      Search(graph, way).run(1);  // the blocks are on the GPU now
      std::uint64_t const before = device::allocated_bytes();
      Search search(graph, way);
      for (Label const root : random_sources(graph, 3, 5)) search.run(root);
      std::uint64_t const taken = device::allocated_bytes() - before, predicted = predicted_bytes(graph, preset);
      EXPECT_LE(taken, predicted);
      EXPECT_GE(taken, predicted / 8);
    }
}

// Lists of every bin, sets that are sent as bits, both directions: what small graphs never see. The hub of the star is
// pushed by the whole grid.
TEST_F(GpuBlocks, AgreeWithTheSameBlocksOnTheCpu)
{
  for (Preset const preset : block_presets)
    for (auto const& [spec, devices] : std::vector<std::pair<std::string, int>>{
             {"kron:16", 1}, {"kron:16", 3}, {"kron:16", 6}, {"star:40000", 1}, {"star:40000", 3}}) {
      Graph const graph = build(open_generator(spec), false, std::nullopt, Device::cuda, devices, preset);
      for (auto const direction : testing::directions) {
        if (preset == Preset::ring && direction != Direction::push) continue;
        SCOPED_TRACE(std::string(name_of(preset)) + ", devices: " + std::to_string(devices));
        SearchOptions on_gpu = testing::search_on(Device::cuda, direction), on_cpu = on_gpu;
        on_cpu.device = Device::cpu;
        on_gpu.preset = on_cpu.preset = preset;
        Search there(graph, on_gpu), here(graph, on_cpu);
        for (Label const root : random_sources(graph, 2, 11)) {
          SearchResult const found = there.run(root), expected = here.run(root);
          EXPECT_EQ(found.reached, expected.reached);
          EXPECT_EQ(found.nedge, expected.nedge);
          EXPECT_TRUE(std::equal(found.levels.begin(), found.levels.end(), expected.levels.begin()));
          Verdict const verdict = there.validate();
          EXPECT_TRUE(verdict.valid()) << verdict.witness;
          auto const levels = found.trace->records(), others = expected.trace->records();
          ASSERT_EQ(levels.size(), others.size());
          for (std::size_t i = 0; i < levels.size(); ++i) {
            EXPECT_EQ(levels[i].frontier, others[i].frontier);
            EXPECT_EQ(levels[i].messages, others[i].messages);
            if (direction == Direction::push && preset != Preset::butterfly) {  // else it hangs on who was first
              EXPECT_EQ(levels[i].edges_checked, others[i].edges_checked);
              EXPECT_EQ(levels[i].bytes_vertices, others[i].bytes_vertices);
            }
          }
        }
      }
    }
}

}  // namespace
}  // namespace brushfire
