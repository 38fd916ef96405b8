// MS-BFS over the one layout. Every vertex has a slot: delegates by rank, then all others by Vertex. A slot has a word
// of the sources that have seen it, and a word of those that found it in the level before: the frontier.
//
// A pull gathers the words of a list until no source that it is for is missing; each slot is written by the thread that
// pulls it. A push walks the lists of the frontier and joins words of targets; what of them was not seen before is
// found out when all lists are done: looking for it at every entry would be a second miss. A level may pull some
// sources and then push others: they have different bits. Levels of few vertices cost what those vertices cost.
#include "traverse/cpu/batch_stepper.hpp"

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/saturating.hpp"
#include "traverse/batch_policy.hpp"
#include "traverse/cpu/batch_push.hpp"
#include "traverse/cpu/batch_wave.hpp"
#include "traverse/cpu/bit_counter.hpp"
#include "traverse/cpu/level_digits.hpp"

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
  std::span<const Word> found_bits() override
  {
    return std::as_const(frontier().words).span().subspan(first_normal_, layout_.vertices);
  }
  void write_levels(std::span<std::int32_t> rows) override { levels_.write_rows(rows, team_); }

 private:
  Wave& frontier() { return waves_[turn_]; }
  Wave& next() { return waves_[1 - turn_]; }

  Slot slot_of(Vertex v) const;
  Vertex vertex_of(Slot slot) const
  {
    return slot < first_normal_ ? layout_.home(slot) : static_cast<Vertex>(slot - first_normal_);
  }
  BatchPush pushing(Word sources, int thread)
  {
    return {pushed_, frontier().words.data(), next(), sources, tallies_[static_cast<std::size_t>(thread)]};
  }

  Word choose_pushed() const;
  BatchTally sum_up(bool has_pulled);
  void forget();
  void push(Word sources);
  void push_long_lists(std::span<const Slot> slots, Word sources);
  void settle_pushed(Word sources);
  void pull(Word sources, const BatchLists& lists, std::uint64_t first_slot, std::uint64_t count, std::uint64_t grain);
  void settle(Slot slot, Word found, BatchTally& tally, BitCounter& counter);
  void make_queue(Wave& wave);
  void make_zero(Wave& wave);
  void show_at_home(Wave& wave);

  const Layout& layout_;
  BatchStepperOptions options_;
  Team team_;
  Slot first_normal_;
  ListsOfSlots pushed_;
  BatchLists into_delegates_, into_normals_;  // pulled
  std::vector<Vertex> ranks_;                 // of delegates, by the Vertex where they live
  Buffer<Word> seen_;                         // all bits where nothing leads to
  std::array<Wave, 2> waves_;
  int turn_ = 0;
  LevelDigits levels_;
  std::vector<BatchTally> tallies_;
  std::uint64_t normal_list_;  // mean length of the lists of vertices that are no delegates
  BatchWork work_;             // of the next level
  Word searching_ = 0;         // sources that found something in the last
  std::int64_t level_ = 0;
};

// As many slots as targets of an altered file may name.
std::uint64_t slots_of(const Layout& layout) { return capacity_for(layout.delegates) + capacity_for(layout.vertices); }

CpuBatchStepper::CpuBatchStepper(const Layout& layout, const BatchStepperOptions& options, Team team)
    : layout_(layout),
      options_(options),
      team_(team),
      first_normal_(static_cast<Slot>(capacity_for(layout.delegates))),
      pushed_{{layout.pushed(Subgraph::dd), layout.pushed(Subgraph::dn)},
              {layout.pushed(Subgraph::nd), layout.pushed(Subgraph::nn)},
              first_normal_},
      into_delegates_{layout.pulled(Subgraph::dd), layout.pulled(Subgraph::nd)},
      into_normals_{layout.pulled(Subgraph::dn), layout.pulled(Subgraph::nn)},
      ranks_(layout.delegates),
      seen_(slots_of(layout)),
      waves_{Wave(slots_of(layout)), Wave(slots_of(layout))},
      levels_(layout.vertices),
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
    levels_.clear(team_);
    levels_.begin_level(0);
  }
  BatchTally& tally = tallies_[0];
  BitCounter counter;
  make_zero(frontier());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Slot const slot = slot_of(sources[i]);
    Word& word = frontier().words[slot];
    if (word == 0) frontier().push_back({&slot, 1});
    word |= bit_of(i);
    settle(slot, bit_of(i), tally, counter);
  }
  counter.add_to(tally.found);
  constexpr bool has_pulled = false;
  sum_up(has_pulled);
  for (std::size_t i = 0; i < sources.size(); ++i)  // who has no way out is not waited for
    if (pushed_.length(slot_of(sources[i])) == 0) searching_ &= ~bit_of(i);
  show_at_home(frontier());
}

// Nobody has seen anything; what has no list to be pulled by counts as seen by all.
void CpuBatchStepper::forget()
{
  auto const forget_rows = [&](const BatchLists& lists, std::uint64_t first_slot, std::uint64_t count) {
    team_.for_blocks(count, 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
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
  ++level_;
  if (options_.levels) levels_.begin_level(level_);
  Word const pushed = choose_pushed(), pulled = searching_ & ~pushed;
  if (pulled != 0) {
    pull(pulled, into_delegates_, 0, layout_.delegates, 64);
    pull(pulled, into_normals_, first_normal_, layout_.vertices, BitCounter::most_words);
    next().size = 0;
  } else {
    make_zero(next());
  }
  if (pushed != 0) {
    push(pushed);
    settle_pushed(pushed);
  }
  next().has_queue = pulled == 0;
  turn_ = 1 - turn_;
  BatchTally const sum = sum_up(pulled != 0);
  show_at_home(frontier());
  return {sum.found, pushed, pulled, sum.checked};
}

// What all threads did in the level, and what is known of the next.
BatchTally CpuBatchStepper::sum_up(bool has_pulled)
{
  BatchTally sum;
  for (BatchTally& tally : tallies_) sum += std::exchange(tally, BatchTally{});
  // BatchLists of delegates are measured; those of other vertices are alike.
  for (std::size_t i = 0; i < sum.found.size(); ++i)
    work_.entries[i] = sum.delegate_entries[i] + sum.found[i] * normal_list_;
  work_.frontier_entries = sum.frontier_entries + sum.normals * normal_list_;
  if (has_pulled) {
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

void CpuBatchStepper::push(Word sources)
{
  constexpr std::uint64_t worth_sharing = 4096;  // entries; a parallel region costs about as much as a thousand
  constexpr std::uint64_t long_list = 8192;      // entries; longer lists are walked by all threads together
  constexpr std::uint64_t entries_per_block = 2048;
  make_queue(frontier());
  auto const queue = frontier().queued();
  const Word* const words = frontier().words.data();
  std::uint64_t const entries = work_.frontier_entries;
  if (entries < worth_sharing || team_.threads == 1) {
    BatchPush push = pushing(sources, 0);
    for (Slot const slot : queue)
      if ((words[slot] & sources) != 0) push.push_slot<false>(slot);
    return;
  }
  std::vector<std::vector<Slot>> long_lists(static_cast<std::size_t>(team_.threads));
  std::uint64_t const lists_per_block = std::clamp<std::uint64_t>(queue.size() * entries_per_block / entries, 1, 1024);
  team_.for_blocks(queue.size(), lists_per_block, [&](std::uint64_t first, std::uint64_t last, int thread) {
    BatchPush push = pushing(sources, thread);
    for (std::uint64_t i = first; i < last; ++i) {
      if ((words[queue[i]] & sources) == 0) continue;
      if (pushed_.length(queue[i]) > long_list)
        long_lists[static_cast<std::size_t>(thread)].push_back(queue[i]);
      else
        push.push_slot<true>(queue[i]);
    }
  });
  for (auto const& slots : long_lists) push_long_lists(slots, sources);
}

void CpuBatchStepper::push_long_lists(std::span<const Slot> slots, Word sources)
{
  constexpr std::uint64_t entries_per_block = 4096;
  for (Slot const slot : slots) {
    Word const word = frontier().words[slot] & sources;
    const BatchLists& lists = pushed_.of(slot);
    Vertex const row = pushed_.row_of(slot);
    auto const push_list = [&](const SubgraphView& graph, Slot first_slot) {
      EntryRange const range = graph.row(row);
      team_.for_blocks(range.size(), entries_per_block, [&](std::uint64_t first, std::uint64_t last, int thread) {
        BatchPush push = pushing(sources, thread);
        push.push_range<true>(graph, {range.first + first, range.first + last}, first_slot, word);
      });
    };
    push_list(lists.to_delegates, 0);
    push_list(lists.to_normals, first_normal_);
  }
}

void CpuBatchStepper::settle_pushed(Word sources)
{
  auto const queue = next().queued();
  team_.for_blocks(queue.size(), BitCounter::most_words, [&](std::uint64_t first, std::uint64_t last, int thread) {
    BatchTally& tally = tallies_[static_cast<std::size_t>(thread)];
    BitCounter counter;
    for (std::uint64_t i = first; i < last; ++i) {
      Word& word = next().words[queue[i]];
      Word const found = word & sources & ~seen_[queue[i]];
      word = (word & ~sources) | found;
      if (found != 0) settle(queue[i], found, tally, counter);
    }
    counter.add_to(tally.found);
  });
}

// The sources of `missing` that a neighbour has brought along, and perhaps more.
inline Word gather(const SubgraphView& rows, Vertex row, const Word* frontier, Word missing, Word found,
                   BatchTally& tally)
{
  constexpr EdgeIndex at_a_time = 4;  // their words are on their way together, and one question is asked about all
  EntryRange const range = rows.row(row);
  EdgeIndex e = range.first;
  auto const ask = [&](EdgeIndex last) {
    for (; e < last; ++e) found |= frontier[rows.target(e)];
  };
  if (e < range.last) ask(e + 1);  // the greatest hub often has them all
  while (e < range.last && (missing & ~found) != 0) ask(std::min(e + at_a_time, range.last));
  tally.checked += e - range.first;
  return found;
}

void CpuBatchStepper::pull(Word sources, const BatchLists& lists, std::uint64_t first_slot, std::uint64_t count,
                           std::uint64_t grain)
{
  constexpr std::size_t ahead = 16;  // rows whose lines are on their way while others are walked
  const Word* const delegates = frontier().words.data();
  const Word* const normals = delegates + first_normal_;
  team_.for_blocks(count, grain, [&](std::uint64_t first, std::uint64_t last, int thread) {
    BatchTally& tally = tallies_[static_cast<std::size_t>(thread)];
    BitCounter counter;
    std::array<Vertex, BitCounter::most_words> waiting;
    std::size_t waiting_count = 0;
    for (std::uint64_t row = first; row < last; ++row) {
      next().words[first_slot + row] = 0;
      if ((searching_ & ~seen_[first_slot + row]) != 0) waiting[waiting_count++] = static_cast<Vertex>(row);
    }
    for (std::size_t i = 0; i < waiting_count; ++i) {
      if (i + 2 * ahead < waiting_count) lists.prefetch_row(waiting[i + 2 * ahead]);
      if (i + ahead < waiting_count) lists.to_delegates.prefetch_targets(waiting[i + ahead]);
      Vertex const row = waiting[i];
      auto const slot = static_cast<Slot>(first_slot + row);
      Word const missing = sources & ~seen_[slot];
      Word found = gather(lists.to_delegates, row, delegates, missing, 0, tally);
      if ((missing & ~found) != 0) found = gather(lists.to_normals, row, normals, missing, found, tally);
      found &= missing;
      next().words[slot] = found;
      if (found != 0) settle(slot, found, tally, counter);
      if ((searching_ & ~seen_[slot]) == 0) continue;
      ++tally.waiting;
      tally.waiting_entries += lists.length(row);
    }
    counter.add_to(tally.found);
  });
}

void CpuBatchStepper::settle(Slot slot, Word found, BatchTally& tally, BitCounter& counter)
{
  seen_[slot] |= found;
  counter.add(found);
  if (options_.levels) levels_.add(vertex_of(slot), found);
  if (slot >= first_normal_) {
    ++tally.normals;
    return;
  }
  std::uint32_t const length = pushed_.length(slot);
  tally.frontier_entries += length;
  for_each_bit(found, 0, [&](std::uint64_t i) { tally.delegate_entries[i] += length; });
}

void CpuBatchStepper::make_queue(Wave& wave)
{
  if (wave.has_queue) return;
  wave.size = 0;
  wave.has_queue = true;
  team_.for_blocks(first_normal_ + std::uint64_t{layout_.vertices}, 1 << 14,
                   [&](std::uint64_t first, std::uint64_t last, int) {
                     std::vector<Slot> slots;
                     for (std::uint64_t slot = first; slot < last; ++slot)
                       if (wave.words[slot] != 0) slots.push_back(static_cast<Slot>(slot));
                     wave.push_back(slots);
                   });
}

void CpuBatchStepper::make_zero(Wave& wave)
{
  if (wave.has_queue) {
    for (Slot const slot : wave.queued()) {
      wave.words[slot] = 0;
      wave.words[first_normal_ + vertex_of(slot)] = 0;
    }
  } else {
    team_.for_blocks(wave.words.size(), 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
      std::fill(wave.words.data() + first, wave.words.data() + last, Word{0});
    });
  }
  wave.size = 0;
  wave.has_queue = true;
}

// What found a delegate stands at its Vertex too, where found_bits() shows it. Nothing leads there and its row is
// empty, so no search is disturbed.
void CpuBatchStepper::show_at_home(Wave& wave)
{
  auto const show = [&](Slot rank) { wave.words[first_normal_ + layout_.home(rank)] = wave.words[rank]; };
  if (wave.has_queue) {
    for (Slot const slot : wave.queued())
      if (slot < first_normal_) show(slot);
  } else {
    for (Slot rank = 0; rank < layout_.delegates; ++rank) show(rank);
  }
}

}  // namespace

std::unique_ptr<BatchStepper> make_cpu_batch_stepper(const Layout& layout, const BatchStepperOptions& options,
                                                     Team team)
{
  if (slots_of(layout) > std::numeric_limits<Slot>::max())
    fail(ErrorKind::usage, "batched searches go through at most 2^31 vertices, and there are {}; search one by one",
         layout.vertices);
  return std::make_unique<CpuBatchStepper>(layout, options, team);
}

std::uint64_t predict_cpu_batch_stepper_bytes(std::uint64_t vertices, std::uint64_t delegates, bool levels)
{
  constexpr std::uint64_t per_slot = 3 * sizeof(Word) + 2 * sizeof(Slot);
  constexpr std::uint64_t digits = 8;
  return saturating_sum({saturating_product(vertices + delegates, per_slot),
                         saturating_product(delegates, sizeof(Vertex)),
                         saturating_product(vertices, levels ? digits * sizeof(Word) : 0)});
}

}  // namespace brushfire
