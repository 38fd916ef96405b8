// A graph in parts: those of the devices of this process, and through the wire of a job those of other ranks. Every
// rank makes the same calls; what is asked of a vertex that lives elsewhere comes back to all.
#pragma once

#include "base/parallel.hpp"
#include "build/part.hpp"
#include "build/part_builder.hpp"
#include "exchange/device_group.hpp"
#include "input/dealt_labels.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"

#include <brushfire/progress.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace brushfire {

class PartedGraph {
 public:
  struct Place {
    DealtLabels labels;
    Part part;
  };

  // `source` has the tuples of this rank. `labels` are those of the whole graph and must outlive this.
  PartedGraph(const EdgeSource& source, const Labels& labels, int devices_here, const BuildOptions& options, Team team,
              Progress& progress);

  int devices() const { return devices_; }
  int devices_here() const { return static_cast<int>(places_.size()); }
  const Place& place(int index) const { return places_[static_cast<std::size_t>(index)]; }
  // The tuples that the device reads of `source`, which has those of this rank.
  TupleShare tuples_of(int index, const EdgeSource& source) const
  {
    return share_of(source, index, devices_here(), tuples_in_front_);
  }
  Team team() const { return team_; }  // of one device

  // Numbers over all devices.
  std::uint64_t tuples() const { return tuples_; }
  std::uint64_t self_loops() const { return self_loops_; }
  const std::array<std::uint64_t, subgraph_count>& entries() const { return entries_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t subgraph_bytes() const { return subgraph_bytes_; }
  Vertex delegates() const { return places_.front().part.delegates.size(); }
  std::uint64_t threshold() const { return places_.front().part.layout.threshold; }
  bool directed() const { return places_.front().part.layout.directed; }

  std::optional<std::uint64_t> find(Label label) const { return places_.front().labels.find(label); }
  std::uint32_t input_degree(std::uint64_t index) const;  // tuples at a vertex

  // A way for the devices here, and those of all ranks, to work together.
  std::unique_ptr<DeviceGroup> make_group() const;

 private:
  int devices_ = 1;
  Team team_;
  std::vector<Place> places_;
  std::uint64_t tuples_in_front_ = 0;  // on the ranks before this one
  std::uint64_t tuples_ = 0, self_loops_ = 0, bytes_ = 0, subgraph_bytes_ = 0;
  std::array<std::uint64_t, subgraph_count> entries_{};
  std::unique_ptr<DeviceGroup> group_;
};

}  // namespace brushfire
