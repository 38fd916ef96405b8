// What a search of parts on a GPU is predicted to allocate, against what it does: never more, and not much less where
// every array is used.
#include "build/cuda/device_part.hpp"
#include "device/buffer.hpp"
#include "device/use_gpu.hpp"
#include "engine/parted_graph.hpp"
#include "exchange/cuda/gpu_memory.hpp"
#include "gpu.hpp"
#include "input/generator.hpp"
#include "traverse/cuda/part_index.hpp"
#include "traverse/cuda/part_stepper.hpp"

#include <brushfire/facts.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
  device::UseGpu const gpu;
  device::Stream const stream;
  int const number = device::usable_gpus().front();
  for (std::string const spec : {"kron:13", "grid:150x100"}) {
    auto const source = open_generator(spec);
    for (std::uint64_t const threshold : {std::uint64_t{12}, plain_threshold}) {
      for (bool const directed : {false, true}) {
        for (bool const wide : {false, true}) {
          SCOPED_TRACE(spec + " " + std::to_string(threshold) + (directed ? " directed" : "") + (wide ? " wide" : ""));
          PartedGraph const graph(*source, nullptr, devices, {{directed, threshold}}, Team{1}, Progress::none());
          std::vector<DevicePart> parts;
          std::vector<cuda::PartIndex> indices;
          std::vector<DealtLabelsView> labels;
          std::uint64_t expected_indices = 0, expected = 0;
          for (int index = 0; index < devices; ++index) {
            const DealtLabels& names = graph.place(index).input_labels();
            parts.push_back(copy_to_device(graph.place(index).part, names.view(), names.size(), stream));
            labels.push_back(names.view());
          }
          std::uint64_t const before_indices = device::allocated_bytes();
          for (const DevicePart& part : parts) {
            indices.emplace_back(part, stream);
            auto const counts = counts_of(part, graph.indices(), labels.front().own_only);
            expected_indices += cuda::PartIndex::predict_bytes(counts.vertices, counts.delegates);
            expected += predict_part_stepper_bytes(counts, wide);
          }
          EXPECT_EQ(device::allocated_bytes() - before_indices, expected_indices);

          CudaStepperOptions options;
          options.deterministic = options.levels = options.uniquify = true;
          options.rule = PartRule::published;
          options.wide_parents = wide;
          DeviceGroup group(devices, graph.delegates() > 0 ? 2 : 1, nullptr, false,
                            std::make_unique<cuda::GpuMemory>(std::vector<int>(devices, number)));
          std::uint64_t const before = device::allocated_bytes();
          std::vector<std::unique_ptr<PartStepper>> steppers;
          for (std::size_t i = 0; i < devices; ++i)
            steppers.push_back(make_part_stepper(parts[i], indices[i], labels[i], options, stream));
          for (std::uint64_t const root : {1, 2, 77}) {
            group.run([&](int index, Exchange& exchange) {
              device::UseGpu const use(number);
              Trace trace;
              run_levels(*steppers[static_cast<std::size_t>(index)], exchange, root, {}, trace);
            });
          }
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
