// A part of a graph (build/part.hpp) in device memory. Its layout is an ordinary one, so that the kernels of a device
// alone run over it: there the vertices of the delegates, wherever they live, stand behind the own ones, delegate r at
// `vertices` + r. What is indexed by Vertex, as labels and levels, has room for them.
#pragma once

#include "base/labels_view.hpp"
#include "build/cuda/device_layout.hpp"
#include "build/part.hpp"
#include "device/buffer.hpp"
#include "device/stream.hpp"

#include <brushfire/types.hpp>

#include <cstdint>
#include <vector>

namespace brushfire {

struct DeviceFarRows {
  device::Buffer<std::uint32_t> starts;
  device::Buffer<std::uint64_t> bases;
  device::Buffer<FarVertex> targets;
  std::vector<std::uint64_t> entries_before;  // entries that lead to devices below this one, one more than devices
  std::vector<std::uint64_t> numbers_before;  // numbers up to the largest that occurs, likewise
};

struct DevicePart {
  DeviceLayout layout;
  DeviceFarRows out;
  DeviceFarRows in;                         // of a directed graph
  device::Buffer<Label> labels;             // of the own vertices, then of the delegates
  device::Buffer<FarVertex> homes;          // of the delegates
  std::vector<std::uint64_t> homes_before;  // delegates that live on devices below this one, one more than devices
  const Delegates* delegates = nullptr;     // on the host
  int devices = 1;
  int device = 0;

  const DeviceFarRows& incoming() const { return layout.directed ? in : out; }
};

// `labels` has its table, if any, in host memory, and labels for the first `labelled` of the own vertices; others do
// not occur. What `part` knows of delegates must outlive the copy.
DevicePart copy_to_device(const Part& part, DealtLabelsView labels, Vertex labelled, const device::Stream& stream);

// The same where the rows are on the device already: `part` knows all but them.
void name_vertices(DevicePart& on_device, const Part& part, DealtLabelsView labels, Vertex labelled,
                   const device::Stream& stream);

// The other way: the rows of `part`, which knows all but them.
void copy_rows_to_host(const DevicePart& on_device, Part& part, const device::Stream& stream);

// In the layout of a part: where the delegates stand that live elsewhere, and the others too.
device::Buffer<Vertex> vertices_of_delegates(Vertex vertices, Vertex delegates, const device::Stream& stream);

}  // namespace brushfire
