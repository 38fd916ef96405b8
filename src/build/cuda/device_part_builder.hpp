// Tuples to parts on GPUs (build/part_builder.hpp does it on the host): every device makes or uploads its own share of
// the tuples, block by block, and sends what follows from them to the devices where it belongs: once to count degrees,
// once to count the rows, once for each slice of the rows. What comes out is, entry for entry, what the host builds.
#pragma once

#include "base/saturating.hpp"
#include "build/builder.hpp"
#include "build/cuda/device_part.hpp"
#include "build/cuda/device_rows.hpp"
#include "build/part_builder.hpp"
#include "device/stream.hpp"
#include "exchange/exchange.hpp"
#include "input/cuda/tuples_on_device.hpp"
#include "input/dealt_labels.hpp"
#include "input/edge_source.hpp"

#include <brushfire/progress.hpp>

#include <cstdint>

namespace brushfire {

struct DevicePartOptions {
  int sharing = 1;  // devices that share the GPU and build at the same time
  std::uint64_t most_keys = as_many_keys_as_fit;
};

struct DeviceBuiltPart {
  DevicePart part;  // name_vertices() adds what hangs on labels
  BuiltPart built;  // its part, on the host, has everything but rows
};

// Every device calls it. `facts` are those of the source that the tuples come from.
DeviceBuiltPart build_part_on_device(TuplesOnDevice& tuples, const EdgeFacts& facts, const DealtLabels& labels,
                                     const BuildOptions& options, const DevicePartOptions& more, Exchange& exchange,
                                     const device::Stream& stream, Progress& progress);

// What one device allocates at most, from counts alone; sizes beyond all memory saturate.
struct DevicePartCounts {
  std::uint64_t vertices = 0;   // of the whole graph
  std::uint64_t tuples = 0;     // of one device
  std::uint64_t delegates = 0;  // at most
  int devices = 1;
  bool directed = false;
  bool listed_twice = false;
  bool skewed = false;  // hubs are separated, and most edges have one

  std::uint64_t own_vertices() const { return vertices / static_cast<std::uint64_t>(devices) + 1; }
  // Of one direction, duplicates included.
  std::uint64_t entries() const { return saturating_product(tuples, directed || listed_twice ? 1 : 2); }
  // How many lead elsewhere is known only when degrees are. One in four is more than any skewed graph had that we met.
  std::uint64_t far_entries() const { return skewed ? entries() / 4 + 1 : entries(); }
};
struct DevicePartBytes {
  std::uint64_t entries = 0;    // of all rows, duplicates included
  std::uint64_t rows = 0;       // starts, splits, bases
  std::uint64_t labels = 0;     // and homes
  std::uint64_t temporary = 0;  // gone when built
};
DevicePartBytes predict_device_part_bytes(const DevicePartCounts& counts, int sharing);

}  // namespace brushfire
