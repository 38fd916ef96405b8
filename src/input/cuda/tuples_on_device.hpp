// The tuples that one of several devices reads, in device memory, by range. Vertices are named by their index among all
// of the graph: the one of index v lives on device v % devices, where it is number v / devices.
#pragma once

#include "base/parallel.hpp"
#include "device/stream.hpp"
#include "input/dealt_labels.hpp"
#include "input/kronecker.hpp"
#include "input/tuple_share.hpp"

#include <cstdint>
#include <memory>

namespace brushfire {

struct IndexPair {
  std::uint64_t source;
  std::uint64_t target;
};

class TuplesOnDevice {
 public:
  virtual ~TuplesOnDevice() = default;
  virtual std::uint64_t size() const = 0;
  // Tuples first ... first + count - 1 of the share to device memory, in stream order. One reader at a time, and always
  // the same stream.
  virtual void read(std::uint64_t first, std::uint64_t count, IndexPair* pairs, const device::Stream& stream) = 0;
};

// Computed there where the share is one of a Kronecker graph, else read on the host in each pass. Both must outlive it.
std::unique_ptr<TuplesOnDevice> tuples_on_device(const TupleShare& share, const DealtLabels& labels, Team team);
bool generates_on_device(const TupleShare& share, const DealtLabels& labels);

// The stored list of a conforming run: 12 bytes a tuple, 48 bits an index.
std::unique_ptr<TuplesOnDevice> store_tuples(TuplesOnDevice& tuples, const device::Stream& stream);

// Behind tuples_on_device().
std::unique_ptr<TuplesOnDevice> generate_share(const KroneckerEdges& edges, std::uint64_t first, std::uint64_t count);

}  // namespace brushfire
