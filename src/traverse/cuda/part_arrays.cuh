// The arrays of a search of a part, all but those that serve the other devices: taken once, and how large they will be.
#pragma once

#include "base/saturating.hpp"
#include "build/cuda/device_part.hpp"
#include "device/buffer.hpp"
#include "traverse/cuda/part_counts.hpp"
#include "traverse/cuda/part_index.hpp"
#include "traverse/cuda/part_level.cuh"
#include "traverse/cuda/part_view.cuh"

#include <cstdint>

namespace brushfire::cuda {

template <typename Parent>
struct PartArrays {
  // Where subgraphs are decided on one by one, dd may be pushed while nd is not.
  PartArrays(const DevicePart& part, const PartIndex& index, bool subgraph_by_subgraph, const device::Stream& stream)
      : parents(part.layout.vertices),
        delegate_parents(part.layout.delegates),
        levels(part.layout.rows()),
        visited(index.search.never.size()),
        before(index.search.never.size()),
        fresh(index.search.never.size()),
        open(index.search.never.size()),
        queue(part.layout.rows()),
        longs(longs_capacity(part.layout.out.targets.size())),
        pieces(pieces_capacity(part.layout.out.targets.size())),
        splits_of_delegates(subgraph_by_subgraph && part.layout.delegates != 0 ? part.layout.rows() : 0),
        mine(index.search.normal_base / 32),
        claimed(part.layout.vertices)
  {
    if (splits_of_delegates.size() == 0) return;
    const DeviceAdjacency& out = part.layout.out;
    Vertex const delegates = part.layout.delegates, vertices = part.layout.vertices;
    device::copy_on_device(splits_of_delegates.data(), out.splits.data(), bytes_of<std::uint32_t>(delegates), stream);
    device::copy_on_device(splits_of_delegates.data() + delegates, out.starts.data() + delegates,
                           bytes_of<std::uint32_t>(vertices), stream);
  }

  static std::uint64_t predict_bytes(const PartSearchCounts& counts)
  {
    std::uint64_t const rows = saturating_sum({counts.vertices, counts.delegates});
    std::uint64_t const bits = bytes_of<std::uint32_t>(SearchIndex::words(counts.vertices, counts.delegates));
    return saturating_sum({bytes_of<Parent>(counts.vertices), bytes_of<Parent>(counts.delegates),
                           bytes_of<std::int32_t>(rows), bits, bits, bits, bits, bytes_of<std::uint32_t>(rows),
                           bytes_of<std::uint32_t>(longs_capacity(counts.entries)),
                           bytes_of<ListPiece>(pieces_capacity(counts.entries)), bytes_of<std::uint32_t>(rows),
                           bytes_of<std::uint32_t>(SearchIndex::first_normal(counts.delegates) / 32),
                           bytes_of<Claimed>(counts.vertices)});
  }

  void show(PartView<Parent>& view)
  {
    view.parents = parents.data();
    view.delegate_parents = delegate_parents.data();
    view.levels = nullptr;  // noted when the frontier is gathered
    view.visited = visited.data();
    view.before = before.data();
    view.open = open.data();
    view.queue = queue.data();
    view.longs = longs.data();
    view.pieces = pieces.data();
    view.root = view.target = no_vertex;
  }

  device::Buffer<Parent> parents, delegate_parents;
  device::Buffer<std::int32_t> levels;  // of the own vertices, then of the delegates
  device::Buffer<std::uint32_t> visited, before, fresh, open, queue, longs;
  device::Buffer<ListPiece> pieces;
  device::Buffer<std::uint32_t> splits_of_delegates;  // where no normal vertex leads to a delegate: nd is not pushed
  device::Buffer<std::uint32_t> mine;                 // bits of delegates found here
  device::Buffer<Claimed> claimed;
};

}  // namespace brushfire::cuda
