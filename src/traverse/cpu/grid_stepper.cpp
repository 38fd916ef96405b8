// Loiseau and Krajecki, "Graph500 on a GPU cluster": devices stand in a grid, and each has the edges from the vertices
// of its column to those of its row. A level has two rounds. Expand: what a device's own vertices add to the frontier
// goes along its column. Fold: what it found goes along its row, whose devices know the same visited vertices; of
// several that found a vertex the first in the row keeps the parent, the others drop it, as an exclusive scan along the
// row would have it. At the end who keeps a parent sends it to the device where the vertex lives.
//
// Any rectangle of devices will do: sources and targets are known by device, not by halves of a square.
#include "base/saturating.hpp"
#include "exchange/bins.hpp"
#include "traverse/block_parents.hpp"
#include "traverse/cpu/block_stepper.hpp"
#include "traverse/cpu/frontier.hpp"
#include "traverse/cpu/packed_set.hpp"

#include <algorithm>

namespace brushfire {

namespace cpu {

namespace {

class GridStepper final : public BlockStepper {
 public:
  GridStepper(const BlockPlace& place, const CpuStepperOptions& options, Team team)
      : BlockStepper(place, options, team),
        grid_(block_.push_grid),
        sources_(block_.sources()),
        targets_(block_.targets()),
        visited_(words_for(capacity_for(targets_.slots()))),
        parents_(capacity_for(targets_.slots())),
        searchable_(words_for(targets_.slots())),
        column_frontier_(sources_.slots(), team),
        row_found_(targets_.slots(), team),
        sent_frontier_(own_),
        sent_found_(targets_.slots())
  {
    SubgraphView const lists = block_.pulled();
    for (Vertex v = 0; v < targets_.slots(); ++v)
      if (lists.length(v) > 0) set_bit(searchable_.data(), v);
  }

  Outbox outbox(Round round) override
  {
    if (round.index == 0) {
      begin_level();
      return send(sources_.devices(), sent_frontier_.pack(frontier()));
    }
    visit();
    return send(targets_.devices(), sent_found_.pack(row_found_.queue()));
  }

  void work(Round) override {}

  void absorb(Round round, Piece arrived) override
  {
    if (round.index == 0)
      add_to_frontier(arrived);
    else
      fold(arrived);
  }

 private:
  void start_at(Home root) override
  {
    std::fill_n(visited_.data(), visited_.size(), Word{0});
    std::fill_n(parents_.data(), parents_.size(), no_vertex);
    column_frontier_.clear();
    row_found_.clear();
    unexplored_entries_ = block_.push.targets.size();
    auto const device = static_cast<int>(root.device);
    if (grid_.row_of(device) == grid_.row_of(device_))
      set_bit(visited_.data(), grid_.first_target(device) + root.number);
    waiting_ = 0;
    for (std::uint64_t w = 0; w < searchable_.size(); ++w)
      waiting_ += static_cast<std::uint64_t>(std::popcount(searchable_[w] & ~visited_[w]));
  }

  Outbox send(std::span<const int> devices, std::span<const std::byte> bytes)
  {
    pieces_.clear();
    for (int const device : devices)
      if (device != device_) pieces_.push_back({device, bytes});
    return {pieces_, {}, false, false};
  }

  void add_to_frontier(Piece arrived)
  {
    Vertex const first = grid_.first_source(arrived.device);
    PackedSet::for_each(arrived.bytes, [&](Vertex number) {
      Vertex const slot = first + number;
      column_frontier_.push_back({&slot, 1});
    });
  }

  // Each device chooses for its own block: whichever way, all edges of the block are seen.
  void visit()
  {
    add_own_frontier();
    SubgraphView const lists = block_.pushed();
    SubgraphWork work;
    for (Vertex const slot : column_frontier_.queue()) work.frontier_entries += lists.length(slot);
    unexplored_entries_ -= work.frontier_entries;
    work.unexplored_entries = unexplored_entries_;
    work.waiting = waiting_;
    if (waiting_ > 0) work.mean_list = static_cast<double>(unexplored_entries_) / static_cast<double>(waiting_);
    work.scanned_words = words_for(targets_.slots());
    work.frontier = column_frontier_.size();
    Direction const direction = options_.policy.choose(Subgraph::nn, work, direction_before());
    set_direction(direction);
    BlockTargets const targets{visited_.data(), parents_.data(),  nullptr,           {}, {}, 0,
                               nullptr,         targets_.slots(), searchable_.data()};
    if (direction == Direction::push) {
      push(lists, column_frontier_.queue(), work.frontier_entries, {}, targets, bins_, row_found_, tallies_, team_);
    } else {
      PullList const pulled{block_.pulled(), column_frontier_.bits(), {}, nullptr};
      pull({}, pulled, targets, false, row_found_, tallies_, team_);
    }
    waiting_ -= std::min(waiting_, take_tallies());
  }

  void add_own_frontier()
  {
    Vertex const first = grid_.first_source(device_);
    for (Vertex const number : frontier()) {
      Vertex const slot = first + number;
      column_frontier_.push_back({&slot, 1});
    }
  }

  // Devices of a row are asked in their order: those before this one have the better claim.
  void fold(Piece arrived)
  {
    bool const before_this = arrived.device < device_;
    PackedSet::for_each(arrived.bytes, [&](Vertex slot) {
      if (!test_bit(visited_.data(), slot)) {
        set_bit(visited_.data(), slot);
        row_found_.push_back({&slot, 1});
        if (waiting_ > 0 && test_bit(searchable_.data(), slot)) --waiting_;
      } else if (before_this) {
        parents_[slot] = no_vertex;
      }
    });
  }

  void close_level() override
  {
    Vertex const first = grid_.first_target(device_);
    for (Vertex const slot : row_found_.queue())
      if (Vertex const number = slot - first; number < own_) found_own(number);
    column_frontier_.clear();
    row_found_.clear();
  }

  void tell_parents(Exchange& exchange, std::span<FarVertex> parents) override
  {
    struct Predecessor {
      std::uint64_t number;
      FarVertex parent;
    };
    Bins<Predecessor> predecessors(exchange.devices());
    for (Vertex slot = 0; slot < targets_.slots(); ++slot) {
      if (parents_[slot] == no_vertex) continue;
      FarVertex const vertex = targets_.vertex_at(slot), parent = sources_.vertex_at(parents_[slot]);
      if (device_of(vertex) == device_)
        parents[number_of(vertex)] = parent;
      else
        predecessors.add(device_of(vertex), {number_of(vertex), parent});
    }
    send_bins(exchange, predecessors, [&](int, std::span<const Predecessor> items) {
      for (const Predecessor& item : items) parents[item.number] = item.parent;
    });
  }

  const BlockGrid& grid_;
  const Extent& sources_;
  const Extent& targets_;
  Buffer<Word> visited_;
  Buffer<Vertex> parents_;    // by target slot, as source slots, of what this device was the first of its row to find
  Buffer<Word> searchable_;   // targets with a list to look in
  Frontier column_frontier_;  // of the column
  Frontier row_found_;        // of the row
  PackedSet sent_frontier_, sent_found_;
  std::vector<Piece> pieces_;
  std::uint64_t unexplored_entries_ = 0, waiting_ = 0;
};

}  // namespace

}  // namespace cpu

std::uint64_t predict_grid_stepper_bytes(const BlockSizes& sizes)
{
  // Visited bits, parents, both frontiers, two messages, and at the end what is sent to where vertices live.
  std::uint64_t const of_targets = capacity_for(sizes.targets) * sizeof(Vertex) + cpu::frontier_bytes(sizes.targets) +
                                   sizes.targets / 2 + sizes.targets * 16;
  return saturating_sum({cpu::predict_block_stepper_bytes(sizes), of_targets, cpu::frontier_bytes(sizes.sources)});
}

std::unique_ptr<TreeStepper> make_grid_stepper(const BlockPlace& place, const CpuStepperOptions& options, Team team)
{
  return std::make_unique<cpu::GridStepper>(place, options, team);
}

}  // namespace brushfire
