// From the index of a vertex to its rank among the delegates, on the device: a bit for every index, the number of bits
// set before every 32 of them, and the ranks in the order of the bits. A normal vertex is told by one look.
#pragma once

#include "build/part.hpp"
#include "device/buffer.hpp"
#include "device/stream.hpp"

#include <cstdint>

namespace brushfire {

struct DirectoryWord {
  std::uint32_t bits, before;
};

class DelegateDirectory {
 public:
  // Indices are below `indices`.
  DelegateDirectory(const Delegates& delegates, std::uint64_t indices, const device::Stream& stream);

  Vertex size() const { return static_cast<Vertex>(homes_.size()); }
  const DirectoryWord* words() const { return words_.data(); }  // null without delegates
  const Vertex* ranks() const { return ranks_.data(); }
  const DelegateHome* homes() const { return homes_.data(); }  // by rank

 private:
  device::Buffer<DirectoryWord> words_;
  device::Buffer<Vertex> ranks_;
  device::Buffer<DelegateHome> homes_;
};

}  // namespace brushfire
