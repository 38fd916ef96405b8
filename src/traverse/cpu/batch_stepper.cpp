// MS-BFS over the one layout. Every vertex has a slot: delegates by rank, then all others by Vertex. A slot has a word
// of the sources that have seen it, and a word of those that found it in the level before: the frontier.
//
// A pull gathers the words of a list until no source that it is for is missing; each slot is written by the thread that
// pulls it. A push walks the lists of the frontier and joins words of targets; what of them was not seen before is
// found out when all lists are done: looking for it at every entry would be a second miss. A level may pull some
// sources and push others: they have different bits. Levels of few entries cost what those cost; all others end with
// one pass over all slots, tile by tile, that pulls, forgets what was seen before, and counts.
#include "traverse/cpu/batch_stepper.hpp"

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/fill.hpp"
#include "base/saturating.hpp"
#include "traverse/batch_policy.hpp"
#include "traverse/cpu/batch_pull.hpp"
#include "traverse/cpu/batch_push.hpp"
#include "traverse/cpu/batch_wave.hpp"
#include "traverse/cpu/bit_counter.hpp"
#include "traverse/cpu/level_digits.hpp"
#include "traverse/cpu/list_walk.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

using namespace cpu;

class CpuBatchStepper final : public BatchStepper {
 public:
  CpuBatchStepper(const Layout& layout, const BatchStepperOptions& options, Team team);

  void start(std::span<const Vertex> sources) override;
  FoundByBatch step() override;
  std::span<const Word> found_bits() override;
  void write_levels(std::span<std::int32_t> rows) override;

 private:
  Wave& frontier() { return waves_[turn_]; }
  Wave& next() { return waves_[1 - turn_]; }

  Slot slot_of(Vertex v) const;
  // Where a delegate lives among the other slots; they live where they are.
  auto home_of() const
  {
    return [this](Slot slot) { return slot < first_normal_ ? first_normal_ + layout_.home(slot) : slot; };
  }

  Word choose_pushed() const;
  BatchTally sum_up(bool has_passed);
  void forget();
  void push_to_queue(Word sources);
  void settle_queue(Word sources);
  template <bool shared>
  void queue_targets(Word sources);
  void push_to_all(Word sources);
  template <bool delegates_shared, bool normals_shared>
  void join_targets(Word sources);
  template <typename WalkerFor>
  void walk_frontier(Word sources, WalkerFor&& walker_for);
  void settle_all(Word pushed, Word pulled);
  void settle_tile(const BatchLists& lists, const BatchTile& tile, Slot first_slot, Word pushed, Word pulled,
                   BatchTally& tally);
  void settle(Slot slot, Word found, BatchTally& tally, BitCounter& counter);

  const Layout& layout_;
  BatchStepperOptions options_;
  Team team_;
  Slot first_normal_;
  ListsOfSlots pushed_;
  ListWalk lists_;                            // of a push
  BatchLists into_delegates_, into_normals_;  // pulled
  std::vector<Vertex> ranks_;                 // of delegates, by the Vertex where they live
  std::vector<BatchTile> delegate_tiles_;
  Buffer<Word> seen_;  // all bits where nothing leads to
  std::array<Wave, 2> waves_;
  int turn_ = 0;
  Buffer<Word> own_delegates_;  // a thread's after another's, zero between levels
  LevelDigits levels_;
  std::vector<BatchTally> tallies_;
  std::uint64_t normal_list_;           // mean length of the lists of vertices that are no delegates
  BatchWork work_;                      // of the next level
  std::uint64_t delegate_entries_ = 0;  // of its frontier
  Word searching_ = 0;                  // sources that found something in the last
  std::int64_t level_ = 0;
};

// As many slots as targets of an altered file may name.
std::uint64_t slots_of(std::uint64_t vertices, std::uint64_t delegates)
{
  return capacity_for(delegates) + capacity_for(vertices);
}

// Where every thread has words of its own for delegates, they take no more than a wave.
std::uint64_t own_delegates_of(std::uint64_t vertices, std::uint64_t delegates, Team team)
{
  std::uint64_t const words = saturating_product(capacity_for(delegates), static_cast<std::uint64_t>(team.threads));
  return team.threads == 1 || delegates == 0 || words > slots_of(vertices, delegates) ? 0 : words;
}

CpuBatchStepper::CpuBatchStepper(const Layout& layout, const BatchStepperOptions& options, Team team)
    : layout_(layout),
      options_(options),
      team_(team),
      first_normal_(static_cast<Slot>(capacity_for(layout.delegates))),
      pushed_(layout, first_normal_),
      lists_(layout.entries(), team),
      into_delegates_{layout.pulled(Subgraph::dd), layout.pulled(Subgraph::nd)},
      into_normals_{layout.pulled(Subgraph::dn), layout.pulled(Subgraph::nn)},
      ranks_(layout.delegates),
      delegate_tiles_(tiles_of(pushed_.rows, layout.delegates)),
      seen_(slots_of(layout.vertices, layout.delegates)),
      waves_{Wave(seen_.size()), Wave(seen_.size())},
      own_delegates_(own_delegates_of(layout.vertices, layout.delegates, team)),
      levels_(seen_.size()),
      tallies_(static_cast<std::size_t>(team.threads)),
      normal_list_(
          (layout.entries(Subgraph::nd) + layout.entries(Subgraph::nn)) / std::max<Vertex>(layout.vertices, 1) + 1)
{
  std::iota(ranks_.begin(), ranks_.end(), Vertex{0});
  std::ranges::sort(ranks_, {}, [&](Vertex rank) { return layout_.home(rank); });
  std::fill(seen_.data() + layout.delegates, seen_.data() + first_normal_, ~Word{0});
  std::fill(seen_.data() + first_normal_ + layout.vertices, seen_.data() + seen_.size(), ~Word{0});
}

Slot CpuBatchStepper::slot_of(Vertex v) const
{
  auto const home = [&](Vertex rank) { return layout_.home(rank); };
  auto const found = std::ranges::lower_bound(ranks_, v, {}, home);
  return found != ranks_.end() && home(*found) == v ? *found : first_normal_ + v;
}

void CpuBatchStepper::start(std::span<const Vertex> sources)
{
  level_ = 0;
  forget();
  if (options_.levels) {
    levels_.forget();
    levels_.begin_level(0);
    levels_.begin_few(team_);
  }
  BatchTally& tally = tallies_[0];
  BitCounter counter;
  frontier().make_zero(home_of(), team_);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Slot const slot = slot_of(sources[i]);
    Word& word = frontier().words[slot];
    if (word == 0) frontier().push_back({&slot, 1});
    word |= bit_of(i);
    settle(slot, bit_of(i), tally, counter);
  }
  counter.add_to(tally.found);
  constexpr bool has_passed = false;
  sum_up(has_passed);
  for (std::size_t i = 0; i < sources.size(); ++i)  // who has no way out is not waited for
    if (pushed_.length(slot_of(sources[i])) == 0) searching_ &= ~bit_of(i);
}

// Nobody has seen anything; what has no list to be pulled by counts as seen by all.
void CpuBatchStepper::forget()
{
  auto const forget_rows = [&](const BatchLists& lists, std::uint64_t first_slot, std::uint64_t count) {
    team_.for_blocks(count, filled_at_a_time<Word>, [&](std::uint64_t first, std::uint64_t last, int) {
      for (std::uint64_t row = first; row < last; ++row)
        seen_[first_slot + row] = lists.length(static_cast<Vertex>(row)) == 0 ? ~Word{0} : 0;
    });
  };
  forget_rows(into_delegates_, 0, layout_.delegates);
  forget_rows(into_normals_, first_normal_, layout_.vertices);
  work_.vertices = work_.waiting = std::uint64_t{layout_.delegates} + layout_.vertices;
  work_.waiting_entries = layout_.entries();
}

FoundByBatch CpuBatchStepper::step()
{
  constexpr std::uint64_t few_per_slot = 4;  // a pass over so many slots costs as much as an entry that is queued
  ++level_;
  if (options_.levels) levels_.begin_level(level_);
  Word const pushed = choose_pushed(), pulled = searching_ & ~pushed;
  bool const has_passed = pulled != 0 || work_.frontier_entries * few_per_slot > seen_.size();
  if (has_passed) {
    if (pushed != 0) push_to_all(pushed);
    settle_all(pushed, pulled);
  } else {
    push_to_queue(pushed);
    settle_queue(pushed);
  }
  turn_ = 1 - turn_;
  BatchTally const sum = sum_up(has_passed);
  return {sum.found, pushed, pulled, sum.checked};
}

// What all threads did in the level, and what is known of the next.
BatchTally CpuBatchStepper::sum_up(bool has_passed)
{
  BatchTally sum;
  for (BatchTally& tally : tallies_) sum += std::exchange(tally, BatchTally{});
  // Lists of delegates are measured; those of other vertices are alike.
  for (std::size_t i = 0; i < sum.found.size(); ++i)
    work_.entries[i] = sum.delegate_entries[i] + sum.found[i] * normal_list_;
  delegate_entries_ = sum.frontier_entries;
  work_.frontier_entries = sum.frontier_entries + sum.normals * normal_list_;
  if (has_passed) {
    work_.waiting = sum.waiting;
    work_.waiting_entries = sum.waiting_entries;
  }
  searching_ = still_searching(sum.found);
  return sum;
}

Word CpuBatchStepper::choose_pushed() const
{
  if (options_.direction) return *options_.direction == Direction::push ? searching_ : 0;
  return BatchPolicy().choose(work_, searching_);
}

// To few slots.
void CpuBatchStepper::push_to_queue(Word sources)
{
  frontier().make_queue(team_);
  next().make_zero(home_of(), team_);
  if (lists_.team_for(frontier().queued().size(), work_.frontier_entries).threads == 1)
    queue_targets<false>(sources);
  else
    queue_targets<true>(sources);
}

template <bool shared>
void CpuBatchStepper::queue_targets(Word sources)
{
  walk_frontier(sources, [&](int thread) {
    return QueueingPush<shared>(pushed_, frontier().words.data(), next(), sources,
                                tallies_[static_cast<std::size_t>(thread)]);
  });
}

void CpuBatchStepper::settle_queue(Word sources)
{
  auto const queue = next().queued();
  if (options_.levels) levels_.begin_few(team_);
  team_.for_blocks(queue.size(), BitCounter::most_words, [&](std::uint64_t first, std::uint64_t last, int thread) {
    BatchTally& tally = tallies_[static_cast<std::size_t>(thread)];
    BitCounter counter;
    for (std::uint64_t i = first; i < last; ++i) {
      Word& word = next().words[queue[i]];
      word &= sources & ~seen_[queue[i]];
      if (word != 0) settle(queue[i], word, tally, counter);
    }
    counter.add_to(tally.found);
  });
}

void CpuBatchStepper::settle(Slot slot, Word found, BatchTally& tally, BitCounter& counter)
{
  seen_[slot] |= found;
  counter.add(found);
  if (options_.levels) levels_.add(slot, found);
  if (slot >= first_normal_) {
    ++tally.normals;
    return;
  }
  std::uint32_t const length = pushed_.length(slot);
  tally.frontier_entries += length;
  for_each_bit(found, 0, [&](std::uint64_t i) { tally.delegate_entries[i] += length; });
}

// To many slots.
void CpuBatchStepper::push_to_all(Word sources)
{
  next().make_zero(home_of(), team_);
  if (team_.threads == 1)
    join_targets<false, false>(sources);
  else if (own_delegates_.size() == 0)
    join_targets<true, true>(sources);
  else
    join_targets<false, true>(sources);
}

template <bool delegates_shared, bool normals_shared>
void CpuBatchStepper::join_targets(Word sources)
{
  walk_frontier(sources, [&](int thread) {
    auto const number = static_cast<std::size_t>(thread);
    Word* const words = next().words.data();
    Word* const delegates = own_delegates_.size() == 0 ? words : own_delegates_.data() + number * first_normal_;
    return JoiningPush<delegates_shared, normals_shared>(pushed_, frontier().words.data(), delegates,
                                                         words + first_normal_, sources, tallies_[number]);
  });
}

// The lists of the slots that any of `sources` was at.
template <typename WalkerFor>
void CpuBatchStepper::walk_frontier(Word sources, WalkerFor&& walker_for)
{
  auto const walk = [&](std::uint64_t count, std::uint64_t entries, auto&& slot_at) {
    auto const rows = [&](std::uint64_t first, std::uint64_t last, Vertex* room) {
      std::size_t found = 0;
      for (std::uint64_t i = first; i < last; ++i) {
        Slot const slot = slot_at(i);
        room[found] = pushed_.row_of(slot);
        pushed_.prefetch_middle(room[found]);
        found += (frontier().words[slot] & sources) != 0;
      }
      return std::span<const Vertex>(room, found);
    };
    lists_.run(pushed_.whole, count, entries, rows, walker_for);
  };
  if (frontier().has_queue) {
    walk(frontier().size, work_.frontier_entries, [queue = frontier().queued()](std::uint64_t i) { return queue[i]; });
  } else {
    walk(layout_.delegates, delegate_entries_, [](std::uint64_t rank) { return static_cast<Slot>(rank); });
    walk(layout_.vertices, work_.frontier_entries - delegate_entries_,
         [&](std::uint64_t v) { return static_cast<Slot>(first_normal_ + v); });
  }
}

// Pulls, and settles what was pushed and pulled.
void CpuBatchStepper::settle_all(Word pushed, Word pulled)
{
  auto const tally = [&](int thread) -> BatchTally& { return tallies_[static_cast<std::size_t>(thread)]; };
  team_.for_blocks(delegate_tiles_.size(), 1, [&](std::uint64_t i, std::uint64_t, int thread) {
    settle_tile(into_delegates_, delegate_tiles_[i], 0, pushed, pulled, tally(thread));
  });
  team_.for_blocks(layout_.vertices, BatchPull::most_rows, [&](std::uint64_t first, std::uint64_t last, int thread) {
    settle_tile(into_normals_, {static_cast<Slot>(first), static_cast<Slot>(last), 0}, first_normal_, pushed, pulled,
                tally(thread));
  });
  if (pushed != 0) {  // what an altered file leads to where no vertex is
    clear_words(next().words.span().subspan(layout_.delegates, first_normal_ - layout_.delegates), team_);
    clear_words(next().words.span().subspan(first_normal_ + std::uint64_t{layout_.vertices}), team_);
  }
  if (options_.levels) levels_.end_tiles();
  next().size = 0;
  next().has_queue = false;
}

void CpuBatchStepper::settle_tile(const BatchLists& lists, const BatchTile& tile, Slot first_slot, Word pushed,
                                  Word pulled, BatchTally& tally)
{
  Slot const first = first_slot + tile.first, count = tile.last - tile.first;
  Word* const seen = seen_.data() + first;
  Word* const words = next().words.data() + first;
  if (first_slot == 0 && own_delegates_.size() != 0 && pushed != 0)
    for (std::uint64_t own = first; own < own_delegates_.size(); own += first_normal_)
      for (Slot i = 0; i < count; ++i) words[i] |= std::exchange(own_delegates_[own + i], 0);
  std::array<Vertex, BatchPull::most_rows + 1> waiting;
  std::size_t waiting_count = 0;
  for (Slot i = 0; i < count; ++i) {
    words[i] &= pushed & ~seen[i];
    waiting[waiting_count] = tile.first + i;
    waiting_count += (searching_ & ~seen[i]) != 0;
  }
  auto const rows = std::span<const Vertex>(waiting).first(waiting_count);
  if (pulled != 0) {
    BatchPull pull(lists, frontier().words.data(), frontier().words.data() + first_normal_);
    tally.checked += pull.pull(rows, tile.first, pulled, seen, words);
  }
  auto const found = std::span<const Word>(words, count);
  if (options_.levels) levels_.add_tile(first, found);
  std::uint64_t finders = 0;
  for (Slot i = 0; i < count; ++i) {
    seen[i] |= found[i];
    finders += found[i] != 0;
  }
  SourceCounts counts{};
  BitCounter counter;
  counter.add(found);
  counter.add_to(counts);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    tally.found[i] += counts[i];
    tally.delegate_entries[i] += counts[i] * tile.list;
  }
  tally.frontier_entries += finders * tile.list;
  if (first_slot != 0) tally.normals += finders;
  for (Vertex const row : rows) {
    bool const waits = (searching_ & ~seen[row - tile.first]) != 0;
    tally.waiting += waits;
    tally.waiting_entries += waits ? lists.length(row) : 0;
  }
}

// What found a delegate stands at its Vertex too. Nothing leads there and its row is empty, so no search is disturbed.
std::span<const Word> CpuBatchStepper::found_bits()
{
  Wave& wave = frontier();
  auto const show = [&](Slot rank) { wave.words[home_of()(rank)] = wave.words[rank]; };
  if (wave.has_queue) {
    for (Slot const slot : wave.queued())
      if (slot < first_normal_) show(slot);
  } else {
    for (Slot rank = 0; rank < layout_.delegates; ++rank) show(rank);
  }
  return std::as_const(wave.words).span().subspan(first_normal_, layout_.vertices);
}

void CpuBatchStepper::write_levels(std::span<std::int32_t> rows)
{
  team_.for_blocks(layout_.delegates, 4096, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t rank = first; rank < last; ++rank) levels_.copy(rank, home_of()(static_cast<Slot>(rank)));
  });
  levels_.write_rows(first_normal_, layout_.vertices, rows, team_);
}

}  // namespace

std::unique_ptr<BatchStepper> make_cpu_batch_stepper(const Layout& layout, const BatchStepperOptions& options,
                                                     Team team)
{
  if (slots_of(layout.vertices, layout.delegates) > std::numeric_limits<Slot>::max())
    fail(ErrorKind::usage, "batched searches go through at most 2^31 vertices, and there are {}; search one by one",
         layout.vertices);
  return std::make_unique<CpuBatchStepper>(layout, options, team);
}

std::uint64_t predict_cpu_batch_stepper_bytes(std::uint64_t vertices, std::uint64_t delegates, bool levels, Team team)
{
  constexpr std::uint64_t per_slot = 3 * sizeof(Word) + 2 * sizeof(Slot);
  constexpr std::uint64_t digits = 8;
  return saturating_sum({saturating_product(vertices + delegates, per_slot + (levels ? digits * sizeof(Word) : 0)),
                         saturating_product(delegates, sizeof(Vertex)),
                         bytes_of<Word>(own_delegates_of(vertices, delegates, team))});
}

}  // namespace brushfire
