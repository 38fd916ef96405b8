// A graph in parts or in blocks on the GPUs of this process, as the engine holds it.
#pragma once

#include "base/labels_view.hpp"
#include "build/cuda/device_block.hpp"
#include "build/cuda/device_part.hpp"
#include "device/buffer.hpp"
#include "device/stream.hpp"
#include "engine/gpu.hpp"
#include "engine/parted_graph.hpp"
#include "input/dealt_labels.hpp"
#include "traverse/cuda/cuda_stepper.hpp"
#include "traverse/cuda/part_index.hpp"

#include <brushfire/search.hpp>
#include <brushfire/types.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace brushfire {

class GpuParts {
 public:
  struct Place {
    int gpu = 0;
    DevicePart part;
    std::optional<cuda::PartIndex> index;
    DealtLabelsView labels;  // with its table on the GPU
    DeviceBlock block;       // where the graph is cut into blocks instead
    device::Buffer<std::uint64_t> bounds;
  };
  std::vector<Place> places;
  int sharing = 1;  // devices on one GPU
  std::mutex tables_guard;
  std::map<int, device::Buffer<Label>> label_tables;  // by GPU
  std::map<int, device::Stream> streams;              // likewise

  Place& place(int index) { return places[static_cast<std::size_t>(index)]; }
  const Place& place(int index) const { return places[static_cast<std::size_t>(index)]; }
};

// With its table on the GPU, which the devices there share.
DealtLabelsView labels_on_gpu(GpuParts& parts, int gpu, const DealtLabels& labels, const device::Stream& stream);

void copy_block(GpuParts& parts, const PartedGraph::Place& from, GpuParts::Place& to, const device::Stream& stream);

CudaStepperOptions stepper_options(const SearchOptions& options, const GpuPartOptions& more);

}  // namespace brushfire
