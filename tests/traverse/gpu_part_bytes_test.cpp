// What a search of parts on a GPU is predicted to allocate, against what it does: never more, and not much less where
// every array is used.
#include "device/buffer.hpp"
#include "gpu.hpp"
#include "input/generator.hpp"
#include "traverse/parts_on_gpu.hpp"

#include <brushfire/facts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace brushfire {
namespace {

constexpr int devices = 3;

cuda::PartSearchCounts counts_of(const DevicePart& part, std::uint64_t all_vertices, bool own_labels_only)
{
  cuda::PartSearchCounts counts;
  counts.all_vertices = all_vertices;
  counts.vertices = part.layout.vertices;
  counts.delegates = part.layout.delegates;
  counts.entries = part.layout.out.targets.size();
  counts.far_entries = std::max(part.out.targets.size(), part.incoming().targets.size());
  counts.devices = devices;
  counts.own_labels_only = own_labels_only;
  return counts;
}

class GpuPartBytes : public testing::NeedsGpu<> {};

TEST_F(GpuPartBytes, ArePredicted)
{
  for (std::string const spec : {"kron:13", "grid:150x100"}) {
    auto const source = open_generator(spec);
    for (std::uint64_t const threshold : {std::uint64_t{12}, plain_threshold}) {
      for (bool const directed : {false, true}) {
        for (bool const wide : {false, true}) {
          SCOPED_TRACE(spec + " " + std::to_string(threshold) + (directed ? " directed" : "") + (wide ? " wide" : ""));
          testing::PartsOnGpu on_gpu(*source, devices, {directed, threshold});
          std::uint64_t expected_indices = 0, expected = 0;
          for (const DevicePart& part : on_gpu.parts) {
            auto const counts = counts_of(part, on_gpu.graph.indices(), on_gpu.labels.front().own_only);
            expected_indices += cuda::PartIndex::predict_bytes(counts.vertices, counts.delegates);
            expected += predict_part_stepper_bytes(counts, wide);
          }
          std::uint64_t const before_indices = device::allocated_bytes();
          on_gpu.make_indices();
          EXPECT_EQ(device::allocated_bytes() - before_indices, expected_indices);

          CudaStepperOptions options;
          options.deterministic = options.levels = options.uniquify = true;
          options.rule = PartRule::published;
          options.wide_parents = wide;
          std::uint64_t const before = device::allocated_bytes();
          on_gpu.make_steppers(options);
          for (std::uint64_t const root : {1, 2, 77}) on_gpu.search(root);
          std::uint64_t const allocated = device::allocated_bytes() - before;
          EXPECT_LE(allocated, expected);
          if (!directed) {
            EXPECT_GE(allocated, expected / 4 * 3);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace brushfire
