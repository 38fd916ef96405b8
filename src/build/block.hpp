// One device's block of a plain graph whose adjacency matrix is cut by a grid of devices: the published 1D and 2D
// partitions. The device in row i and column j of the grid keeps the edges from the vertices of the devices of its
// column to those of the devices of its row. A single row cuts the graph by source, a single column by target.
//
// A device names the vertices at either side of its block by slots: those of one device after those of another, each
// from a multiple of 64 on, so that the bits of a device's own vertices are whole words wherever they appear.
#pragma once

#include "base/bits.hpp"
#include "build/layout.hpp"
#include "build/part.hpp"

#include <brushfire/machine.hpp>
#include <brushfire/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace brushfire {

// The vertices of some devices side by side.
class Extent {
 public:
  Extent() = default;
  Extent(std::vector<int> devices, std::span<const std::uint64_t> sizes);  // of all devices; throws Error(memory)

  std::span<const int> devices() const { return devices_; }
  std::span<const Vertex> firsts() const { return firsts_; }  // by place, and the end
  Vertex slots() const { return firsts_.back(); }
  Vertex first(int device) const;         // slot of its number 0
  FarVertex vertex_at(Vertex slot) const  // of a slot that has one
  {
    // Devices without vertices have no slot: the last that begins at or before it is the one. Without branches, which
    // would be guessed wrong for every other parent.
    std::size_t place = 0;
    for (std::size_t left = devices_.size(); left > 1;) {
      std::size_t const half = left / 2;
      place += firsts_[place + half] <= slot ? half : 0;
      left -= half;
    }
    return far_vertex(devices_[place], slot - firsts_[place]);
  }
  std::uint64_t bytes() const { return firsts_.size() * sizeof(Vertex); }

 private:
  std::size_t place_of(int device) const;

  std::vector<int> devices_;          // rising
  std::vector<Vertex> firsts_ = {0};  // by place, and the end
};

class BlockGrid {
 public:
  BlockGrid() = default;
  BlockGrid(GridShape shape, std::span<const std::uint64_t> sizes);

  GridShape shape() const { return shape_; }
  int row_of(int device) const { return device / shape_.columns; }
  int column_of(int device) const { return device % shape_.columns; }
  // Where an edge lies, by the devices of its ends.
  int keeper(int source, int target) const { return row_of(target) * shape_.columns + column_of(source); }
  const Extent& sources_of(int device) const { return columns_[static_cast<std::size_t>(column_of(device))]; }
  const Extent& targets_of(int device) const { return rows_[static_cast<std::size_t>(row_of(device))]; }
  // Where the vertices of a device begin as sources, and as targets, in every block that has them.
  Vertex first_source(int device) const { return first_sources_[static_cast<std::size_t>(device)]; }
  Vertex first_target(int device) const { return first_targets_[static_cast<std::size_t>(device)]; }

 private:
  GridShape shape_;
  std::vector<Extent> rows_, columns_;
  std::vector<Vertex> first_sources_, first_targets_;
};

// How a graph is cut. What is pulled may be cut another way than what is pushed.
struct BlockCut {
  GridShape push;
  std::optional<GridShape> pull;  // nothing: it is pushed only
  bool edges_balanced = false;    // devices have pieces of consecutive vertices with about as many edges each
};

// The vertices that live on a device, and those at both sides of its block, where nothing is built yet.
struct BlockSizes {
  std::uint64_t own = 0, sources = 0, targets = 0;
  bool wide_parents = false;
  int fanout = 4;   // of a butterfly
  int threads = 1;  // of a CPU that searches it
};

struct Block {
  int device = 0, devices = 1;
  bool directed = false;
  BlockGrid push_grid, pull_grid;
  Adjacency push;  // rows by source slot
  // Rows by target slot, whose lists begin with who is in most of them; the same sections as `push` where they are the
  // same.
  Adjacency pull;

  const Extent& sources() const { return push_grid.sources_of(device); }
  const Extent& targets() const { return push_grid.targets_of(device); }
  const Extent& pulled_sources() const { return pull_grid.sources_of(device); }
  const Extent& pulling_targets() const { return pull_grid.targets_of(device); }
  bool shares_rows() const { return pull.starts.data() == push.starts.data(); }
  SubgraphView pushed() const { return push.view(Subgraph::nn, 0, targets().slots()); }
  SubgraphView pulled() const { return pull.view(Subgraph::nn, 0, pulled_sources().slots()); }
  std::uint64_t bytes() const { return push.bytes() + (shares_rows() ? 0 : pull.bytes()); }
};

}  // namespace brushfire
