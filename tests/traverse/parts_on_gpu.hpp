// A graph in parts that share one GPU, and steppers of it with options that no user has.
#pragma once

#include "device/use_gpu.hpp"
#include "engine/parted_graph.hpp"
#include "exchange/cuda/gpu_memory.hpp"
#include "traverse/cuda/part_index.hpp"
#include "traverse/cuda/part_stepper.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace brushfire::testing {

class PartsOnGpu {
 public:
  PartsOnGpu(const EdgeSource& source, int devices, const BuildOptions& how)
      : graph(source, nullptr, devices, {how}, Team{1}, Progress::none())
  {
    for (int index = 0; index < devices; ++index) {
      const DealtLabels& names = graph.place(index).input_labels();
      parts.push_back(copy_to_device(graph.place(index).part, names.view(), names.size(), stream));
      labels.push_back(names.view());
    }
  }

  void make_indices()
  {
    for (const DevicePart& part : parts) indices.emplace_back(part, stream);
  }
  // The indices must be there.
  void make_steppers(const CudaStepperOptions& options)
  {
    int const devices = graph.devices();
    group = std::make_unique<DeviceGroup>(
        devices, graph.delegates() > 0 ? 2 : 1, nullptr, false,
        std::make_unique<cuda::GpuMemory>(std::vector<int>(static_cast<std::size_t>(devices), gpu_number)));
    steppers.clear();
    for (std::size_t i = 0; i < parts.size(); ++i)
      steppers.push_back(make_part_stepper(parts[i], indices[i], labels[i], options, stream));
  }
  void search(std::uint64_t root)
  {
    group->run([&](int index, Exchange& exchange) {
      device::UseGpu const use(gpu_number);
      Trace trace;
      run_levels(*steppers[static_cast<std::size_t>(index)], exchange, root, {}, trace);
    });
  }

  int const gpu_number = device::usable_gpus().front();
  device::UseGpu const gpu;
  device::Stream const stream;
  PartedGraph const graph;
  std::vector<DevicePart> parts;
  std::vector<DealtLabelsView> labels;
  std::vector<cuda::PartIndex> indices;
  std::unique_ptr<DeviceGroup> group;
  std::vector<std::unique_ptr<PartStepper>> steppers;
};

}  // namespace brushfire::testing
