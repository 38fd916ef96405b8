// Tuples in device memory, as pairs of dense vertices, block after block: computed there, stored there, or fed from the
// host. Whoever builds or validates on the device reads them through here and does not know which it is.
#pragma once

#include "base/parallel.hpp"
#include "device/stream.hpp"
#include "input/edge_source.hpp"
#include "input/kronecker.hpp"
#include "input/labels.hpp"

#include <brushfire/types.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace brushfire {

struct VertexPair {
  Vertex source;
  Vertex target;
};

class DeviceEdges {
 public:
  // Pairs are device memory, and good for work that is put into the stream during the call.
  using Use = std::function<void(std::uint64_t first, const VertexPair* pairs, std::uint64_t count)>;

  virtual ~DeviceEdges() = default;
  virtual std::uint64_t edges() const = 0;
  // All tuples in order, self-loops and duplicates included.
  virtual void for_each_block(const device::Stream& stream, const Use& use) const = 0;
};

// The Graph500 graph, generated anew in each pass, bit for bit as on the host.
std::shared_ptr<const DeviceEdges> generate_on_device(const KroneckerEdges& edges);

// The stored list of a conforming run: 12 bytes a tuple, 48 bits a label.
std::shared_ptr<const DeviceEdges> store_on_device(const DeviceEdges& edges, const device::Stream& stream);

// Arrays of the caller's that are in the memory of the GPU already, where their labels need no table; null for all
// other sources. `source` must outlive it.
std::shared_ptr<const DeviceEdges> read_on_device(const EdgeSource& source, const Labels& labels);

// Any source on the host. Copied once and kept as pairs where `keep`, else read and copied in each pass.
// `source` and `labels` must outlive it unless it keeps them.
std::shared_ptr<const DeviceEdges> feed_from_host(const EdgeSource& source, const Labels& labels, Team team, bool keep,
                                                  const device::Stream& stream);

}  // namespace brushfire
