// Green, "ButterFly BFS": every device has the lists of its own vertices and knows of every vertex whether it has been
// visited. A level is expanded without a word to others; then what was found goes along a butterfly until all know it.
//
// Who pushes to a vertex elsewhere tells from where when the last level is done. That is 8 bytes; to look for a
// neighbour in the frontier where the vertex lives cost ten checks and more in the sparse levels that are pushed.
#include "base/fill.hpp"
#include "base/saturating.hpp"
#include "exchange/bins.hpp"
#include "exchange/schedule.hpp"
#include "traverse/block_parents.hpp"
#include "traverse/cpu/block_stepper.hpp"
#include "traverse/cpu/frontier.hpp"
#include "traverse/cpu/packed_set.hpp"
#include "traverse/cpu/pull_index.hpp"
#include "traverse/cpu/push.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace brushfire {

namespace cpu {

namespace {

// That one device tells in a round: about a share of the vertices, and any whole words of them.
std::uint64_t most_told(std::uint64_t own) { return std::max<std::uint64_t>(own, 1 << 12); }

class ButterflyStepper final : public BlockStepper {
 public:
  ButterflyStepper(const BlockPlace& place, const CpuStepperOptions& options, Team team);

  void hear(const LevelCounters& everywhere) override { everywhere_ = everywhere; }
  Outbox outbox(Round round) override;
  void work(Round) override {}
  void absorb(Round, Piece arrived) override;

 private:
  void start_at(Home root) override;
  void close_level() override;
  bool has_visited(Vertex own_number) const override { return test_bit(visited_.data(), first_ + own_number); }
  void tell_parents(Exchange& exchange, std::span<FarVertex> heard) override;
  Word found_from(std::uint64_t w, FarVertex* parents) const override;
  void count_work(LevelCounters& counters) const override;
  void tell_from(std::size_t& word);

  Frontier& current() { return global_[turn_]; }
  Frontier& next() { return global_[1 - turn_]; }
  bool is_own(Vertex slot) const { return slot - first_ < own_; }
  BlockTargets all_targets();
  BlockTargets own_targets();
  Direction choose_for_all() const;
  void push_own();
  void pull_own();
  std::uint64_t covering(int shares) const;

  ButterflySchedule schedule_;
  bool sends_parts_;
  const Extent& all_;
  Vertex first_;  // slot of the first own vertex
  Buffer<Word> visited_;
  Buffer<Vertex> parents_;          // by slot, as slots; right for the own vertices, when told, and those claimed
  Buffer<Word> claimed_;            // vertices of others, found by a push from here
  std::array<Frontier, 2> global_;  // the current one and the next, taking turns
  std::size_t turn_ = 0;
  PullIndex index_;  // of the own vertices
  PushRoom push_room_;

  // What has been gathered in this level: so many devices' shares are the first so many vertices of the next frontier.
  struct Gathered {
    int shares;
    std::uint64_t vertices;
  };
  std::vector<Gathered> gathered_;
  PackedSet everything_, beginning_;  // on their way
  // A parent on its way.
  struct Told {
    Vertex number, parent;
  };
  Buffer<Told> told_;
  std::vector<Piece> pieces_;

  LevelCounters everywhere_;
  std::uint64_t frontier_entries_ = 0, unexplored_entries_ = 0, waiting_ = 0;
};

ButterflyStepper::ButterflyStepper(const BlockPlace& place, const CpuStepperOptions& options, Team team)
    : BlockStepper(place, options, team),
      schedule_(block_.devices, options.fanout),
      sends_parts_(schedule_.sends_parts()),
      all_(block_.targets()),
      first_(all_.first(device_)),
      visited_(words_for(capacity_for(all_.slots()))),
      parents_(capacity_for(all_.slots())),
      claimed_(words_for(all_.slots())),
      global_{Frontier(all_.slots(), team), Frontier(all_.slots(), team)},
      index_(block_.pulled(), own_, team),
      push_room_{{all_.slots(), team}, {block_.push.targets.size(), team}},
      everything_(all_.slots()),
      beginning_(all_.slots()),
      told_(most_told(own_))
{
  gathered_.reserve(static_cast<std::size_t>(block_.devices));
  pieces_.reserve(static_cast<std::size_t>(block_.devices));
}

void ButterflyStepper::start_at(Home root)
{
  clear_words(visited_.span(), team_);
  clear_words(claimed_.span(), team_);
  for (Frontier& frontier : global_) frontier.clear();
  turn_ = 0;
  Vertex const slot = all_.first(static_cast<int>(root.device)) + root.number;
  set_bit(visited_.data(), slot);
  parents_[slot] = slot;
  current().start_with(slot);
  unexplored_entries_ = block_.push.targets.size();
  waiting_ = index_.count;
  frontier_entries_ = 0;
  if (!is_own(slot)) return;
  frontier_entries_ = block_.pushed().length(root.number);
  unexplored_entries_ -= frontier_entries_;
  if (test_bit(index_.searchable.data(), root.number)) --waiting_;
}

void ButterflyStepper::count_work(LevelCounters& counters) const
{
  counters.frontier_entries = frontier_entries_;
  counters.unexplored_entries = unexplored_entries_;
  counters.waiting = waiting_;
}

// One direction for all: an edge is seen by the device of its source when pushing, of its target when pulling.
Direction ButterflyStepper::choose_for_all() const
{
  SubgraphWork work;
  work.frontier_entries = everywhere_.frontier_entries;
  work.unexplored_entries = everywhere_.unexplored_entries;
  work.waiting = everywhere_.waiting;
  work.scanned_words = words_for(all_.slots());
  work.frontier = everywhere_.frontier;
  return choose_direction(work);
}

ButterflyStepper::BlockTargets ButterflyStepper::all_targets()
{
  return targets_at(visited_.data(), parents_.data(), all_.slots());
}

ButterflyStepper::BlockTargets ButterflyStepper::own_targets()
{
  BlockTargets own = all_targets();
  own.visited += first_ / word_bits;
  own.parents += first_;
  own.count = own_;
  own.among = index_.searchable.data();
  return own;
}

void ButterflyStepper::push_own()
{
  BlockTargets const targets = all_targets();
  Push<Vertex>{block_.pushed(), {nullptr, first_, 1}, targets, push_room_, next(), tallies_, team_}.run(
      frontier().queue(), frontier_entries_, ListOrder::any);
  if (block_.devices > 1)
    for (Vertex const slot : next().queue())
      if (!is_own(slot)) set_bit(claimed_.data(), slot);
}

void ButterflyStepper::pull_own()
{
  PullList const lists = index_.asking(block_.pulled(), current().bits());
  pull(lists, {}, own_targets(), false, next(), tallies_, team_, first_ / word_bits);
}

// The fewest vertices of the next frontier that include so many shares.
std::uint64_t ButterflyStepper::covering(int shares) const
{
  for (const Gathered& part : gathered_)
    if (part.shares >= shares) return part.vertices;
  return gathered_.back().vertices;
}

Outbox ButterflyStepper::outbox(Round round)
{
  if (round.index == 0) {
    begin_level();
    Direction const direction = choose_for_all();
    set_direction(direction);
    direction == Direction::push ? push_own() : pull_own();
    if (sends_parts_) next().queue();  // where shares stand in their order
    gathered_.assign(1, {1, next().size()});
  }
  pieces_.clear();
  if (block_.devices == 1) return {};
  std::span<const std::byte> all, part;
  schedule_.for_each_receiver(device_, round.index, [&](int receiver, int shares) {
    std::uint64_t const lacking = covering(shares);
    if (lacking == next().size()) {
      if (all.empty()) all = everything_.pack(next());
      pieces_.push_back({receiver, all});
    } else {
      if (part.empty()) part = beginning_.pack(next().queue().first(lacking));
      pieces_.push_back({receiver, part});
    }
  });
  return {pieces_, {}, false, false};
}

// Nearest sender first: so the shares of the devices just before this one stay in front.
void ButterflyStepper::absorb(Round round, Piece arrived)
{
  if (!sends_parts_ && PackedSet::is_bits(arrived.bytes)) next().keep_bits_only();
  PackedSet::for_each_word(arrived.bytes, [&](std::uint64_t w, Word found) {
    next().add_word(w, found & ~visited_[w]);
    visited_[w] |= found;
  });
  gathered_.push_back({gathered_.back().shares + schedule_.held(round.index), next().size()});
}

void ButterflyStepper::close_level()
{
  frontier().add_part(next(), first_, own_, 0);
  SubgraphView const lists = block_.pushed();
  frontier_entries_ = frontier().sum([&](Vertex v) { return lists.length(v); });
  unexplored_entries_ -= frontier_entries_;
  waiting_ -= frontier().size();  // whoever is found has a list, in which its finder stands
  current().clear();
  turn_ = 1 - turn_;
}

// In as many rounds as the device that claimed the most needs. Who was claimed by several hears the last of them.
void ButterflyStepper::tell_parents(Exchange& exchange, std::span<FarVertex>)
{
  if (block_.devices == 1) return;
  Round const only{0, true};
  std::size_t word = 0;
  for (std::uint64_t untold = 1; untold > 0;) {
    tell_from(word);
    exchange.post(only, {pieces_, {}, false});
    exchange.collect(only, [&](Piece arrived) {
      for (const Told& told : items_of<Told>(arrived)) parents_[first_ + told.number] = told.parent;
    });
    untold = word < claimed_.size() ? 1 : 0;
    exchange.sum({&untold, 1});
  }
}

Word ButterflyStepper::found_from(std::uint64_t w, FarVertex* parents) const
{
  Word const found = visited_[first_ / word_bits + w];
  for_each_bit(found, first_ + w * word_bits,
               [&](std::uint64_t slot) { parents[slot % word_bits] = all_.vertex_at(parents_[slot]); });
  return found;
}

// As many parents as fit, of the vertices claimed from this word on; the words of a device are its own.
void ButterflyStepper::tell_from(std::size_t& word)
{
  pieces_.clear();
  std::size_t count = 0;
  auto const firsts = all_.firsts();
  for (std::size_t place = 0; place + 1 < firsts.size(); ++place) {
    std::size_t const begin = count, end = firsts[place + 1] / word_bits;
    for (; word < end && count + word_bits <= told_.size(); ++word)
      for (Word bits = claimed_[word]; bits != 0; bits &= bits - 1) {
        auto const slot = static_cast<Vertex>(word * word_bits + static_cast<std::size_t>(std::countr_zero(bits)));
        told_[count++] = {slot - firsts[place], parents_[slot]};
      }
    if (count > begin)
      pieces_.push_back({all_.devices()[place], std::as_bytes(std::span(told_.data() + begin, count - begin))});
  }
}

}  // namespace

}  // namespace cpu

std::uint64_t predict_butterfly_stepper_bytes(const BlockSizes& sizes)
{
  // Of all vertices: visited and claimed bits, parents, two frontiers, two messages; of the own ones what pulls look
  // up, and what is told.
  std::uint64_t const all = sizes.targets * 3 / 8 + capacity_for(sizes.targets) * sizeof(Vertex) +
                            2 * cpu::frontier_bytes(sizes.targets) + sizes.targets / 4;
  return saturating_sum({cpu::predict_block_stepper_bytes(sizes), all, cpu::pull_index_bytes(sizes.own),
                         cpu::most_told(sizes.own) * 2 * sizeof(Vertex),
                         cpu::FindingBins::predict_bytes(sizes.targets, sizes.threads)});
}

std::unique_ptr<TreeStepper> make_butterfly_stepper(const BlockPlace& place, const CpuStepperOptions& options,
                                                    Team team)
{
  return std::make_unique<cpu::ButterflyStepper>(place, options, team);
}

}  // namespace brushfire
