// The first half of a build on the device: the degrees, who becomes a delegate, and the slot of every vertex.
#pragma once

#include "build/cuda/device_builder.hpp"
#include "build/degrees.hpp"
#include "device/buffer.hpp"

#include <cstdint>
#include <vector>

namespace brushfire {

struct DeviceDegrees {
  device::Buffer<std::uint32_t> out;  // of an undirected graph: every tuple at both of its ends
  device::Buffer<std::uint32_t> in;   // of a directed graph only
  std::uint64_t self_loops = 0;
};

// Throws Error(failure) when a vertex has more than 2^32-1 tuples.
DeviceDegrees count_degrees(const DeviceEdges& edges, Vertex vertices, const DeviceBuildOptions& options,
                            const device::Stream& stream, Progress& progress);

// Delegate bits are what every pull tests: 256 KiB are about what the L1 of an H200 multiprocessor holds.
inline constexpr std::uint64_t most_chosen_delegates = std::uint64_t{1} << 21;
std::uint64_t choose_threshold(const DeviceDegrees& degrees, const device::Stream& stream);

// Steps of these that devices which share a graph go together.
std::uint64_t sum_of(const device::Buffer<std::uint32_t>& counts, const device::Stream& stream);
DegreeHistogram histogram_of(const DeviceDegrees& degrees, const device::Stream& stream);
struct FoundDelegates {
  std::vector<Vertex> vertices;  // rising
  std::vector<std::uint64_t> degrees;
};
FoundDelegates find_delegates(const DeviceDegrees& degrees, std::uint64_t threshold, const device::Stream& stream);

// As on the host: a delegate's slot is its rank, by falling degree and then by Vertex; else delegates + Vertex.
struct DeviceSlots {
  Vertex delegates = 0;
  device::Buffer<Vertex> delegate_vertices;
  device::Buffer<Vertex> slot_of;

  std::uint64_t rows() const { return std::uint64_t{delegates} + slot_of.size(); }
};
DeviceSlots assign_slots(const DeviceDegrees& degrees, std::uint64_t threshold, const device::Stream& stream);

// What assign_slots() holds for a while for each delegate: its degree before, inside and after the sort, its Vertex
// inside and after it.
inline constexpr std::uint64_t bytes_to_rank_a_delegate = 3 * sizeof(std::uint64_t) + 2 * sizeof(Vertex);

}  // namespace brushfire
