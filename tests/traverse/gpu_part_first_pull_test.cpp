// First pulls of parts by kernels of their own, which by the options that a user has only large graphs see: the levels
// of the oracle, and parents one level above.
#include "gpu.hpp"
#include "input/generator.hpp"
#include "traverse/parts_on_gpu.hpp"
#include "validate/oracle.hpp"

#include <brushfire/graph.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace brushfire {
namespace {

constexpr int devices = 3;

// Where a level is not that of the oracle, or a parent not one level above.
std::uint64_t wrong_vertices(const testing::PartsOnGpu& on_gpu, const OracleResult& oracle)
{
  std::uint64_t wrong = 0;
  auto const level_of = [&](Label v) { return oracle.levels[static_cast<std::size_t>(v)]; };
  for (int device = 0; device < devices; ++device) {
    const PartedGraph::Place& place = on_gpu.graph.place(device);
    TreeOnHost const tree = on_gpu.steppers[static_cast<std::size_t>(device)]->result();
    for (Vertex number = 0; number < tree.levels.size(); ++number) {
      auto const v = static_cast<Label>(place.own_index(number));
      std::int32_t const level = level_of(v);
      Label const parent = tree.parents[number];
      bool const right = level == unreached ? parent == -1
                         : level == 0       ? parent == v
                                            : parent >= 0 && level_of(parent) == level - 1;
      if (tree.levels[number] != level || !right) ++wrong;
    }
  }
  return wrong;
}

class GpuPartFirstPull : public testing::NeedsGpu<::testing::TestWithParam<const char*>> {};

TEST_P(GpuPartFirstPull, LeavesARightTree)
{
  auto const source = open_generator(GetParam());
  Labels const labels = Labels::of_source(*source, Team{1});
  for (std::uint64_t const threshold : {std::uint64_t{20}, plain_threshold}) {
    testing::PartsOnGpu on_gpu(*source, devices, {false, threshold});
    on_gpu.make_indices();
    for (bool const wide : {false, true}) {
      for (std::optional<Direction> const direction : {std::optional<Direction>(), std::optional(Direction::pull)}) {
        CudaStepperOptions options;
        options.levels = true;
        options.wide_parents = wide;
        options.direction = direction;
        options.least_apart = 0;
        on_gpu.make_steppers(options);
        for (std::uint64_t const root : {1, 2, 77}) {
          SCOPED_TRACE("threshold " + std::to_string(threshold) + (wide ? ", wide" : "") +
                       (direction ? ", pulled" : "") + ", from " + std::to_string(root));
          on_gpu.search(root);
          OracleResult const oracle = oracle_search(*source, labels, static_cast<Label>(root), false);
          EXPECT_EQ(wrong_vertices(on_gpu, oracle), 0u);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graphs, GpuPartFirstPull,
                         ::testing::Values("kron:10", "kron:15", "powerlaw:60000:2.3", "uniform:13"),
                         [](auto const& graph) {
                           std::string name = graph.param;
                           for (char& c : name)
                             if (c == ':' || c == '.') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace brushfire
