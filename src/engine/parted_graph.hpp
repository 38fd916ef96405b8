// A graph in parts: those of the devices of this process, and through the wire of a job those of other ranks. Every
// rank makes the same calls; what is asked of a vertex that lives elsewhere comes back to all.
//
// Devices name vertices by their index among all. Labels follow from it, unless they are sparse and of several ranks:
// then each device knows those of its own vertices, and the graph is renumbered.
#pragma once

#include "base/parallel.hpp"
#include "build/block.hpp"
#include "build/part.hpp"
#include "build/part_builder.hpp"
#include "exchange/device_group.hpp"
#include "input/dealt_labels.hpp"
#include "input/edge_source.hpp"
#include "input/labels.hpp"

#include <brushfire/progress.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace brushfire {

class GpuParts;
struct RowLengths;

// The devices here and the wire that joins them to those of other ranks. All ranks make one together.
class JobGroup {
 public:
  struct Options {
    int rounds = 1;  // of a level
    bool join_pieces = false;
    bool nonblocking_masks = true;
  };
  explicit JobGroup(int devices_here) : JobGroup(devices_here, Options()) {}
  // Of CPUs, or of the GPUs that have `parts`.
  JobGroup(int devices_here, const Options& options, const GpuParts* parts = nullptr);
  DeviceGroup* operator->() { return &group_; }

 private:
  static std::unique_ptr<Wire> wire_of(int devices_here, const Options& options, const GpuParts* parts);

  std::unique_ptr<Wire> wire_;
  DeviceGroup group_;
};

// All ranks ask together.
bool true_on_all_ranks(bool here);

class PartedGraph {
 public:
  struct Place {
    DealtLabels labels;                        // what its tuples call vertices
    Part part;                                 // without rows where it was built on a GPU, or in blocks
    Block block;                               // of a graph that is cut into blocks
    DealtLabels names;                         // of a renumbered graph: what the input calls its own vertices, and
    std::shared_ptr<const EdgeSource> tuples;  // its tuples
    const DealtLabels& input_labels() const { return tuples != nullptr ? names : labels; }
    std::uint64_t tuples_in_front = 0;  // of the whole list, in front of the source that the device reads

    // Between the index of a vertex that lives here and its number.
    std::uint64_t own_index(Vertex number) const
    {
      return labels.dealing().index_of({static_cast<std::uint32_t>(labels.device()), number});
    }
    std::optional<Vertex> own_number(std::uint64_t index) const
    {
      Home const home = labels.dealing().home_of(index);
      return static_cast<int>(home.device) == labels.device() ? std::optional(home.number) : std::nullopt;
    }
  };

  struct Options {
    BuildOptions build;
    bool on_gpus = false;
    Preset preset = Preset::automatic;  // that cuts a plain graph into blocks, instead of parts with delegates
    std::optional<GridShape> grid{};
    bool may_cut = false;       // whether automatic may choose such a preset
    bool store_tuples = false;  // generated ones, on the GPU and before they are used, as a conforming run asks
    // Told how many vertices there are, and whether they are named, where only all ranks together could count them. May
    // throw.
    std::function<void(std::uint64_t vertices, bool named)> when_counted{};
  };

  // `source` has the tuples of this rank. `labels` are those of the whole graph where this is the only rank, else null;
  // they must outlive this.
  PartedGraph(const EdgeSource& source, const Labels* labels, int devices_here, const Options& options, Team team,
              Progress& progress);

  // Of all vertices, by index, where a file knows more of them than the tuples that it lists.
  void take_input_degrees(const Section<std::uint32_t>& degrees);

  int devices() const { return devices_; }  // of all ranks
  int devices_here() const { return static_cast<int>(places_.size()); }
  const Place& place(int index) const { return places_[static_cast<std::size_t>(index)]; }
  Team team() const { return team_; }  // of one device
  // Where it was not built there, copied when first asked for.
  const GpuParts& on_gpus() const;
  const Part& on_host(int index) const;  // with its rows
  // What it was built for, and how it is cut into blocks if it is.
  Preset preset() const { return preset_; }
  const std::optional<BlockCut>& cut() const { return cut_; }
  bool renumbered() const { return places_.front().tuples != nullptr; }
  Label largest_label() const { return largest_label_; }
  // The tuples that a device reads of `source`, which has those of this rank.
  TupleShare tuples_of(int index, const EdgeSource& source) const;

  // Numbers over all devices.
  std::uint64_t vertices() const { return vertices_; }
  std::uint64_t indices() const { return places_.front().labels.total(); }  // some belong to no vertex if renumbered
  std::uint64_t tuples() const { return totals_.tuples; }
  std::uint64_t self_loops() const { return totals_.self_loops; }
  const std::array<std::uint64_t, subgraph_count>& entries() const { return totals_.entries; }
  std::uint64_t bytes() const { return totals_.bytes; }
  std::uint64_t subgraph_bytes() const { return totals_.subgraph_bytes; }
  double generation_seconds() const { return generation_seconds_; }  // of tuples that were stored on GPUs
  Vertex delegates() const { return places_.front().part.delegates.size(); }
  std::uint64_t threshold() const { return places_.front().part.layout.threshold; }
  bool directed() const { return places_.front().part.layout.directed; }

  std::optional<std::uint64_t> find(Label label) const;  // the index of a vertex
  Label label_at(std::uint64_t index) const;
  std::uint32_t input_degree(std::uint64_t index) const;                                     // tuples at a vertex
  std::vector<std::uint64_t> input_degrees(std::uint64_t first, std::uint64_t count) const;  // of so many in a row
  std::uint64_t largest_degree_vertex() const;  // the first with the most neighbours
  std::vector<Label> all_labels() const;        // of a renumbered graph, rising; on the first rank only

 private:
  BuiltPart build(int index, const TupleShare& tuples, const Options& options, Exchange& exchange, Progress& progress);
  BuiltPart build_on_cpu(Place& place, const TupleShare& tuples, const Options& options, Exchange& exchange,
                         Progress& progress);
  BuiltPart build_in_blocks(Place& place, const TupleShare& tuples, const BlockCut& cut, bool directed,
                            Exchange& exchange, Progress& progress);
  RowLengths lengths(int index, Exchange& exchange) const;
  void together(const std::function<void(int, Exchange&)>& body) const;
  template <typename Own>
  std::uint64_t ask_owner(std::uint64_t index, Own&& own) const;

  int devices_ = 1;
  Preset preset_;
  std::optional<BlockCut> cut_;
  Team team_;
  mutable std::vector<Place> places_;  // rows may come later
  std::uint64_t vertices_ = 0;
  Label largest_label_ = no_label;
  PartTotals totals_;
  std::shared_ptr<GpuParts> built_on_gpus_;  // null where the host built it
  mutable JobGroup group_;
  mutable std::mutex asking_;
  double generation_seconds_ = 0;
  mutable std::once_flag copied_to_gpus_, copied_to_host_;
  mutable std::shared_ptr<const GpuParts> on_gpus_;
};

// The labels of a renumbered graph in rising order; on the first rank only.
Labels labels_in_order(const PartedGraph& parts);

}  // namespace brushfire
