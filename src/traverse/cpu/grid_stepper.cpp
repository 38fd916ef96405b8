// Loiseau and Krajecki, "Graph500 on a GPU cluster": devices stand in a grid, and each has the edges from the vertices
// of its column to those of its row. A level has two rounds. Expand: what a device's own vertices add to the frontier
// goes along its column. Fold: what it found goes along its row, whose devices know the same visited vertices; of
// several that found a vertex the first in the row keeps the parent, the others drop it, as an exclusive scan along the
// row would have it. At the end who keeps a parent sends it to the device where the vertex lives.
//
// Any rectangle of devices will do: sources and targets are known by device, not by halves of a square.
#include "base/fill.hpp"
#include "base/saturating.hpp"
#include "exchange/bins.hpp"
#include "traverse/block_parents.hpp"
#include "traverse/cpu/block_stepper.hpp"
#include "traverse/cpu/frontier.hpp"
#include "traverse/cpu/packed_set.hpp"
#include "traverse/cpu/pull_index.hpp"
#include "traverse/cpu/push.hpp"

#include <algorithm>
#include <bit>

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
        theirs_(words_for(targets_.slots())),
        parents_(capacity_for(targets_.slots())),
        index_(block_.pulled(), targets_.slots(), team),
        push_room_{{targets_.slots(), team}, {block_.push.targets.size(), team}},
        column_frontier_(sources_.slots(), team),
        row_found_(targets_.slots(), team),
        sent_frontier_(own_),
        sent_found_(targets_.slots()),
        predecessors_(block_.devices)
  {
  }

  Outbox outbox(Round round) override
  {
    if (round.index == 0) {
      begin_level();
      return send(sources_.devices(), sent_frontier_, frontier());
    }
    visit();
    return send(targets_.devices(), sent_found_, row_found_);
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
    predecessors_.clear();
    clear_words(visited_.span(), team_);
    clear_words(theirs_.span(), team_);
    column_frontier_.clear();
    row_found_.clear();
    unexplored_entries_ = block_.push.targets.size();
    waiting_ = index_.count;
    auto const device = static_cast<int>(root.device);
    if (grid_.row_of(device) != grid_.row_of(device_)) return;
    Vertex const slot = grid_.first_target(device) + root.number;
    set_bit(visited_.data(), slot);
    if (device == device_)
      parents_[slot] = grid_.first_source(device_) + root.number;
    else
      set_bit(theirs_.data(), slot);
    if (test_bit(index_.searchable.data(), slot)) --waiting_;
  }

  Outbox send(std::span<const int> devices, PackedSet& packed, Frontier& vertices)
  {
    pieces_.clear();
    if (devices.size() == 1) return {};
    auto const bytes = packed.pack(vertices);
    for (int const device : devices)
      if (device != device_) pieces_.push_back({device, bytes});
    return {pieces_, {}, false, false};
  }

  void add_to_frontier(Piece arrived)
  {
    if (PackedSet::is_bits(arrived.bytes)) column_frontier_.keep_bits_only();
    std::uint64_t const first_word = grid_.first_source(arrived.device) / word_bits;
    PackedSet::for_each_word(arrived.bytes,
                             [&](std::uint64_t w, Word bits) { column_frontier_.add_word(first_word + w, bits); });
  }

  // Each device chooses for its own block: whichever way, all edges of the block are seen.
  void visit()
  {
    column_frontier_.add_part(frontier(), 0, own_, grid_.first_source(device_));
    SubgraphView const lists = block_.pushed();
    SubgraphWork work;
    work.frontier_entries = column_frontier_.sum([&](Vertex slot) { return lists.length(slot); });
    unexplored_entries_ -= work.frontier_entries;
    work.unexplored_entries = unexplored_entries_;
    work.waiting = waiting_;
    work.scanned_words = words_for(targets_.slots());
    work.frontier = column_frontier_.size();
    Direction const direction = choose_direction(work);
    set_direction(direction);
    BlockTargets targets = targets_at(visited_.data(), parents_.data(), targets_.slots());
    targets.among = index_.searchable.data();
    if (direction == Direction::push) {
      Push<Vertex>{lists, {}, targets, push_room_, row_found_, tallies_, team_}.run(
          column_frontier_.queue(), work.frontier_entries, ListOrder::any);
    } else {
      PullList const pulled = index_.asking(block_.pulled(), column_frontier_.bits());
      pull(pulled, {}, targets, false, row_found_, tallies_, team_);
    }
    waiting_ -= std::min(waiting_, take_tallies());
  }

  // Devices of a row are asked in their order: those before this one have the better claim.
  void fold(Piece arrived)
  {
    if (PackedSet::is_bits(arrived.bytes)) row_found_.keep_bits_only();
    bool const before_this = arrived.device < device_;
    PackedSet::for_each_word(arrived.bytes, [&](std::uint64_t w, Word found) {
      Word const fresh = found & ~visited_[w];
      theirs_[w] |= before_this ? found : fresh;
      visited_[w] |= fresh;
      row_found_.add_word(w, fresh);
      waiting_ -= static_cast<std::uint64_t>(std::popcount(fresh & index_.searchable[w]));
    });
  }

  void close_level() override
  {
    frontier().add_part(row_found_, grid_.first_target(device_), own_, 0);
    column_frontier_.clear();
    row_found_.clear();
  }

  bool has_visited(Vertex own_number) const override
  {
    return test_bit(visited_.data(), grid_.first_target(device_) + own_number);
  }

  void tell_parents(Exchange& exchange, std::span<FarVertex> heard) override
  {
    heard_ = heard;
    if (targets_.devices().size() == 1) return;
    auto const firsts = targets_.firsts();
    for (std::size_t place = 0; place + 1 < firsts.size(); ++place) {
      int const device = targets_.devices()[place];
      if (device == device_) continue;
      for (std::uint64_t w = firsts[place] / word_bits; w < firsts[place + 1] / word_bits; ++w)
        for_each_bit(kept(w), w * word_bits, [&](std::uint64_t slot) {
          predecessors_.add(device, {slot - firsts[place], sources_.vertex_at(parents_[slot])});
        });
    }
    send_bins(exchange, predecessors_, [&](int, std::span<const Predecessor> items) {
      for (const Predecessor& item : items) heard[item.number] = item.parent;
    });
  }

  Word found_from(std::uint64_t w, FarVertex* parents) const override
  {
    std::uint64_t const word = grid_.first_target(device_) / word_bits + w;
    for_each_bit(kept(word), 0,
                 [&](std::uint64_t i) { parents[i] = sources_.vertex_at(parents_[word * word_bits + i]); });
    for_each_bit(visited_[word] & theirs_[word], 0, [&](std::uint64_t i) { parents[i] = heard_[w * word_bits + i]; });
    return visited_[word];
  }

  // Whose parents this device keeps, of 64.
  Word kept(std::uint64_t w) const { return visited_[w] & ~theirs_[w]; }

  const BlockGrid& grid_;
  const Extent& sources_;
  const Extent& targets_;
  Buffer<Word> visited_;
  Buffer<Word> theirs_;     // of those, whose parents another device of the row keeps
  Buffer<Vertex> parents_;  // by target slot, as source slots, of what this device was the first of its row to find
  std::span<const FarVertex> heard_;  // of the own vertices, from other devices of the row
  PullIndex index_;
  PushRoom push_room_;
  Frontier column_frontier_;  // of the column
  Frontier row_found_;        // of the row
  PackedSet sent_frontier_, sent_found_;
  struct Predecessor {
    std::uint64_t number;
    FarVertex parent;
  };
  Bins<Predecessor> predecessors_;  // room that is kept from search to search
  std::vector<Piece> pieces_;
  std::uint64_t unexplored_entries_ = 0, waiting_ = 0;
};

}  // namespace

}  // namespace cpu

std::uint64_t predict_grid_stepper_bytes(const BlockSizes& sizes)
{
  // Visited bits, parents, what pulls look up, both frontiers, two messages, and at the end what is sent to where
  // vertices live.
  std::uint64_t const of_targets = capacity_for(sizes.targets) * sizeof(Vertex) + cpu::pull_index_bytes(sizes.targets) +
                                   cpu::frontier_bytes(sizes.targets) + sizes.targets * 5 / 8 + sizes.targets * 16;
  return saturating_sum({cpu::predict_block_stepper_bytes(sizes), of_targets, cpu::frontier_bytes(sizes.sources),
                         cpu::FindingBins::predict_bytes(sizes.targets, sizes.threads)});
}

std::unique_ptr<TreeStepper> make_grid_stepper(const BlockPlace& place, const CpuStepperOptions& options, Team team)
{
  return std::make_unique<cpu::GridStepper>(place, options, team);
}

}  // namespace brushfire
