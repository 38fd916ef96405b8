// Tuples to layout on the device. Degrees are counted in one pass over the tuples; then rows are built in slices
// that fit a bounded buffer: the entries of a slice of rows are collected, sorted whole, cleared of duplicates
// and appended. So no sort ever needs room for all entries at once, and every further pass costs one look at the
// tuples.
#pragma once

#include "build/cuda/device_layout.hpp"
#include "device/stream.hpp"
#include "input/cuda/device_edges.hpp"

#include <brushfire/progress.hpp>

#include <cstdint>
#include <optional>

namespace brushfire {

struct DeviceBuildOptions {
  bool directed = false;
  bool listed_twice = false;               // the tuples hold (u,v) and (v,u) already; never with directed
  std::optional<std::uint64_t> threshold;  // nothing: chosen
};

struct DeviceBuilt {
  DeviceLayout layout;
  std::uint64_t self_loops = 0;  // tuples
};

DeviceBuilt build_on_device(const DeviceEdges& edges, Vertex vertices, const DeviceBuildOptions& options,
                            const device::Stream& stream, Progress& progress);

// How many delegates there can be, before any degree is known.
std::uint64_t most_delegates_on_device(std::uint64_t vertices, std::optional<std::uint64_t> threshold);

// What build_on_device() allocates at most, from counts alone; sizes beyond all memory saturate.
struct DeviceBuildBytes {
  std::uint64_t entries = 0;    // of all rows, duplicates included
  std::uint64_t rows = 0;       // starts, splits, bases
  std::uint64_t degrees = 0;    // kept
  std::uint64_t temporary = 0;  // gone when built: slots, the slice and its sort, at the least that works
};
DeviceBuildBytes predict_device_build_bytes(std::uint64_t vertices, std::uint64_t edges,
                                            const DeviceBuildOptions& options);

}  // namespace brushfire
