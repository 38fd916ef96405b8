// XBFS (Gaihre et al., HPDC 2019) on a plain CSR, as its GPU twin does it: before each level the policy looks at the
// counts and chooses how that level works.
//
// Three queues take turns. A push reads `frontier_` and writes `next_`. A pull needs no frontier queue: it asks
// `waiting_`, which is drawn anew from its own former self into the place of `frontier_`. After a pull the frontier has
// no queue; a walk over `waiting_` finds it. A scan-free level costs what its frontier's lists cost, however many
// vertices there are.
#include "traverse/cpu/adaptive_stepper.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/fill.hpp"
#include "base/saturating.hpp"
#include "traverse/cpu/adaptive_kernels.hpp"
#include "traverse/cpu/adaptive_queues.hpp"
#include "traverse/cpu/likely_parents.hpp"
#include "traverse/cpu/list_walk.hpp"
#include "traverse/cpu/search_index.hpp"
#include "traverse/cpu/smallest_parents.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

using namespace cpu;

constexpr std::uint64_t entries_per_block = 2048;  // that a thread takes at a time
constexpr std::uint64_t long_list = 8192;          // entries; longer lists are walked by all threads together
// Vertices at a time. On a GPU they are 8 and 32; here whoever takes them fetches the lists of some while it walks
// others.
constexpr std::uint64_t taken_by_thread = 64;
constexpr std::uint64_t taken_by_warp = 1024;
constexpr std::int32_t past_the_last = std::numeric_limits<std::int32_t>::min();  // neither waiting nor on a level

template <typename Parent>
class AdaptiveCpuStepper final : public TreeStepper {
 public:
  AdaptiveCpuStepper(const Layout& layout, LabelsView labels, const CpuStepperOptions& options,
                     const AdaptiveOptions& adaptive, Team team);

  LevelCounters start(std::uint64_t root, const Limits& limits) override;
  Outbox outbox(Round) override { return {}; }  // it is alone
  void work(Round) override;
  void absorb(Round, Piece) override {}
  LevelCounters finish_level(Trace& trace, const Traffic&) override;
  void finish(Exchange&) override;
  TreeFacts facts() const override { return {reached_, level_, std::numeric_limits<Parent>::digits + 1}; }
  TreeOnHost result() const override;

 private:
  Items all_vertices() const { return {nullptr, vertices_}; }
  // Of entries or vertices.
  Team team_for(std::uint64_t amount) const { return amount < worth_sharing ? Team{1} : team_; }
  AdaptiveTally& tally_of(int thread) { return tallies_[static_cast<std::size_t>(thread)]; }

  AdaptiveView<Parent> view();

  bool looks_ahead() const;
  void push(FrontierQueue queue);
  template <bool append>
  void expand();
  void collect(Items items);
  void pull(FrontierQueue queue, PullBalance balance, bool ahead);
  void ask(Items asked, std::uint64_t first, std::uint64_t last, bool ahead, bool donates, AdaptiveTally& tally);
  void draw_waiting();
  Sighting look_together(Vertex v, bool ahead);

  const Layout& layout_;
  LabelsView labels_;
  CpuStepperOptions options_;
  AdaptiveOptions adaptive_;
  AdaptivePolicy policy_;
  Team team_;
  SearchIndex index_;
  Vertex vertices_;
  Buffer<Vertex> likely_;

  Buffer<std::int32_t> status_;
  Buffer<Parent> parents_;
  VertexQueue frontier_, next_, waiting_;
  VertexQueue long_lists_;  // met in this pull
  ListWalk lists_;          // of a push
  Buffer<std::uint64_t> places_;
  std::vector<AdaptiveTally> tallies_;

  Limits limits_;
  std::int64_t level_ = 0;  // of the frontier
  std::uint64_t reached_ = 0;
  Amount frontier_size_, early_;  // early: part of the next frontier that the last pull found already
  std::uint64_t former_entries_ = 0;
  bool frontier_queued_ = false;  // not after a pull
  bool waiting_drawn_ = false;
  LevelRecord record_;
};

template <typename Parent>
AdaptiveCpuStepper<Parent>::AdaptiveCpuStepper(const Layout& layout, LabelsView labels,
                                               const CpuStepperOptions& options, const AdaptiveOptions& adaptive,
                                               Team team)
    : layout_(layout),
      labels_(labels),
      options_(options),
      adaptive_(adaptive),
      policy_{options.policy.forced, adaptive.queue, layout.entries()},
      team_(team),
      index_(layout, nullptr, labels, team),
      vertices_(layout.vertices),
      likely_(likely_parents(layout, team)),
      status_(capacity_for(layout.vertices)),
      parents_(layout.vertices),
      frontier_(layout.vertices),
      next_(layout.vertices),
      waiting_(layout.vertices),
      long_lists_(layout.vertices),
      lists_(layout.entries(), team),
      places_(layout.vertices / scanned_per_block + 2),
      tallies_(static_cast<std::size_t>(team.threads))
{
  if (layout.delegates != 0) fail(ErrorKind::failure, "the adaptive preset needs a graph without delegates");
  if (options.policy.forced == Direction::push && adaptive.queue == FrontierQueue::none)
    fail(ErrorKind::usage, "--frontier none leaves nothing to push from; leave out --direction push");
  std::fill(status_.data() + vertices_, status_.data() + status_.size(), past_the_last);  // for an altered file
}

template <typename Parent>
AdaptiveView<Parent> AdaptiveCpuStepper<Parent>::view()
{
  return {layout_.pushed(Subgraph::nn),     layout_.pulled(Subgraph::nn), labels_, status_.data(), parents_.data(),
          static_cast<std::int32_t>(level_)};
}

template <typename Parent>
LevelCounters AdaptiveCpuStepper<Parent>::start(std::uint64_t root, const Limits& limits)
{
  limits_ = limits;
  level_ = 0;
  reached_ = 1;
  std::fill(tallies_.begin(), tallies_.end(), AdaptiveTally{});  // a search that was broken off leaves some
  early_ = {};
  former_entries_ = 0;
  frontier_queued_ = true;
  waiting_drawn_ = false;
  fill_by_team(status_.span().first(vertices_), unreached, team_);
  fill_by_team(parents_.span().first(vertices_), static_cast<Parent>(no_label), team_);
  auto const v = static_cast<Vertex>(root);
  view().settle(v, 0, v);
  frontier_.clear();
  frontier_.append({&v, 1});
  frontier_size_ = {1, layout_.pushed(Subgraph::nn).length(v)};
  bool const stop = limits.target == root || limits.max_depth == 0;
  return {1, stop ? 1u : 0u};
}

// A search that stops at a limit must not leave vertices of a level beyond it in the tree.
template <typename Parent>
bool AdaptiveCpuStepper<Parent>::looks_ahead() const
{
  return adaptive_.async_pull && !limits_.target && (!limits_.max_depth || level_ + 2 <= *limits_.max_depth);
}

template <typename Parent>
void AdaptiveCpuStepper<Parent>::work(Round)
{
  Stopwatch const watch;
  AdaptiveLevel const level{frontier_size_.entries, former_entries_, !frontier_queued_};
  Direction const direction = policy_.choose_direction(level);
  FrontierQueue const queue = policy_.choose_queue(direction, level);
  record_ = {};
  record_.level = level_;
  record_.directions.fill(direction);
  record_.frontier = frontier_size_.vertices;
  record_.queue = queue;
  if (direction == Direction::push) {
    push(queue);
  } else {
    record_.balance = adaptive_.balance.value_or(PullBalance::warp);
    record_.async_pull = looks_ahead();
    pull(queue, *record_.balance, *record_.async_pull);
    tallies_[0].found += early_;  // a push finds those in its scan
  }
  AdaptiveTally all;
  for (AdaptiveTally& tally : tallies_) all += std::exchange(tally, {});
  former_entries_ = std::exchange(frontier_size_, all.found).entries;
  early_ = all.early;
  frontier_queued_ = direction == Direction::push;
  record_.discovered = all.found.vertices;
  record_.edges_checked = all.checked;
  record_.seconds = watch.seconds();
}

template <typename Parent>
void AdaptiveCpuStepper<Parent>::push(FrontierQueue queue)
{
  next_.clear();
  if (queue == FrontierQueue::single_scan || queue == FrontierQueue::double_scan) {
    expand<false>();
  } else {
    // Who was found ahead belongs to the queue that is about to be made, and is taken before anybody else gets that
    // level.
    if (early_.vertices != 0) collect(waiting_.items());
    expand<true>();
  }
  if (queue == FrontierQueue::single_scan) collect(all_vertices());
  AdaptiveView<Parent> const search = view();
  if (queue == FrontierQueue::double_scan) {
    next_.scan_twice(
        all_vertices(), [&](Vertex v) { return search.level_of(v) == search.level + 1; }, places_.span(),
        team_for(vertices_));
    tallies_[0].found += next_.amount(0, search.out, team_for(next_.size()));
  }
  std::swap(frontier_, next_);
}

// The lists of this level's vertices, which stand in their queue or among those that the last pull asked.
template <typename Parent>
template <bool append>
void AdaptiveCpuStepper<Parent>::expand()
{
  Items const items = frontier_queued_ ? frontier_.items() : waiting_.items();
  AdaptiveView<Parent> const search = view();
  auto const sources = [&](std::uint64_t first, std::uint64_t last, Vertex* room) {
    std::size_t count = 0;
    for (std::uint64_t i = first; i < last; ++i) {
      room[count] = items[i];
      count += frontier_queued_ || search.level_of(items[i]) == search.level ? 1 : 0;
    }
    return std::span<const Vertex>(room, count);
  };
  lists_.run(search.out, items.count, frontier_size_.entries, sources, [&](int thread) {
    return [&, thread, next = Batch(next_, search.out, tally_of(thread).found)](EntryRange list, Vertex u) mutable {
      search.template push<append>(u, list, next, tally_of(thread));
    };
  });
}

// Single-scan: those of `items` that are on the next level.
template <typename Parent>
void AdaptiveCpuStepper<Parent>::collect(Items items)
{
  AdaptiveView<Parent> const search = view();
  std::uint64_t const before = next_.size();
  next_.scan_once(
      items, [&](Vertex v) { return search.level_of(v) == search.level + 1; }, team_for(items.count));
  tallies_[0].found += next_.amount(before, search.out, team_for(next_.size()));
}

// Every waiting vertex looks through its in-neighbours for one of the frontier. The balances differ in how many
// vertices a thread takes at a time. Donation also has long lists looked through by all threads: on a GPU the lanes of
// a warp that are done help the one that is not, here it is threads.
template <typename Parent>
void AdaptiveCpuStepper<Parent>::pull(FrontierQueue queue, PullBalance balance, bool ahead)
{
  bool const queued = queue == FrontierQueue::double_scan;
  if (queued) draw_waiting();
  Items const asked = queued ? waiting_.items() : all_vertices();
  AdaptiveView<Parent> const search = view();
  auto const threads = static_cast<std::uint64_t>(team_.threads);
  std::uint64_t const grain = balance == PullBalance::static_shares ? asked.count / threads + 1
                              : balance == PullBalance::thread      ? taken_by_thread
                                                                    : taken_by_warp;
  long_lists_.clear();
  bool const few = queued && asked.count < worth_sharing;  // and may have long lists
  std::uint64_t const entries = few ? waiting_.amount(0, search.in, Team{1}).entries : layout_.entries();
  team_for(entries).for_blocks(asked.count, grain, [&](auto first, auto last, int thread) {
    AdaptiveTally tally;
    for (std::uint64_t i = first; i < last; i += taken_by_warp)
      ask(asked, i, std::min(last, i + taken_by_warp), ahead, balance == PullBalance::donate, tally);
    tally_of(thread) += tally;
  });
  Items const left = long_lists_.items();
  for (std::uint64_t i = 0; i < left.count; ++i)
    search.settle_sighting(left[i], look_together(left[i], ahead), tallies_[0]);
}

// First for their likely parents; the lists of those that this does not settle are walked afterwards, each with the
// lines of others on their way.
template <typename Parent>
void AdaptiveCpuStepper<Parent>::ask(Items asked, std::uint64_t first, std::uint64_t last, bool ahead, bool donates,
                                     AdaptiveTally& tally)
{
  AdaptiveView<Parent> const search = view();
  std::array<Vertex, taken_by_warp> open;
  std::size_t count = 0;
  for (std::uint64_t i = first; i < last; ++i) {
    Vertex const v = asked[i];
    if (!search.waits(v)) continue;
    if (Vertex const likely = likely_[v]; likely != no_vertex && search.level_of(likely) == search.level) {
      search.settle_sighting(v, {likely, no_vertex}, tally);
      ++tally.checked;
    } else if (donates && search.in.length(v) > long_list) {
      long_lists_.append({&v, 1});
    } else {
      open[count++] = v;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (i + 2 * lists_ahead < count) search.in.prefetch_row(open[i + 2 * lists_ahead]);
    if (i + lists_ahead < count) search.in.prefetch_targets(open[i + lists_ahead]);
    search.settle_sighting(open[i], search.look_through(search.in.row(open[i]), ahead, tally), tally);
  }
}

// The waiting vertices are always among those that waited before (paper 5.2, Lemma 1). Those that the last pull found
// ahead drop out, and a walk will not come across them; it need not: the pull to come sees them from its start,
// and finds all that they could still reach, ahead.
template <typename Parent>
void AdaptiveCpuStepper<Parent>::draw_waiting()
{
  AdaptiveView<Parent> const search = view();
  Items const items = waiting_drawn_ ? waiting_.items() : all_vertices();
  const Word* const without_list = index_.normals_never_waiting.data();
  frontier_.scan_twice(
      items, [&](Vertex v) { return search.waits(v) & !test_bit(without_list, v); }, places_.span(),
      team_for(items.count));
  std::swap(frontier_, waiting_);
  waiting_drawn_ = true;
}

// One list by all threads, which stop taking pieces of it when one has seen enough.
template <typename Parent>
Sighting AdaptiveCpuStepper<Parent>::look_together(Vertex v, bool ahead)
{
  std::atomic<Vertex> parent{no_vertex}, early{no_vertex};
  AdaptiveView<Parent> const search = view();
  EntryRange const row = search.in.row(v);
  team_.for_blocks(row.size(), entries_per_block, [&](auto first, auto last, int thread) {
    if (parent.load(std::memory_order_relaxed) != no_vertex) return;
    Sighting const seen = search.look_through({row.first + first, row.first + last}, ahead, tally_of(thread));
    if (seen.parent != no_vertex) parent.store(seen.parent, std::memory_order_relaxed);
    if (seen.early != no_vertex) early.store(seen.early, std::memory_order_relaxed);
  });
  return {parent.load(), early.load()};
}

template <typename Parent>
LevelCounters AdaptiveCpuStepper<Parent>::finish_level(Trace& trace, const Traffic&)
{
  trace.add(record_);
  reached_ += record_.discovered;
  if (record_.discovered > 0) ++level_;
  bool const stop =
      (limits_.target && status_[*limits_.target] != unreached) || (limits_.max_depth && level_ >= *limits_.max_depth);
  return {record_.discovered, stop ? 1u : 0u};
}

template <typename Parent>
void AdaptiveCpuStepper<Parent>::finish(Exchange&)
{
  if (options_.deterministic)
    choose_smallest_parents<Parent>(index_, labels_, status_.data(), nullptr, parents_.data(), nullptr, team_);
}

template <typename Parent>
TreeOnHost AdaptiveCpuStepper<Parent>::result() const
{
  TreeOnHost result;
  result.parents = ParentsView(parents_.data(), vertices_);
  if (options_.levels) result.levels = status_.span().first(vertices_);
  return result;
}

}  // namespace

std::unique_ptr<TreeStepper> make_adaptive_cpu_stepper(const Layout& layout, LabelsView labels,
                                                       const CpuStepperOptions& options,
                                                       const AdaptiveOptions& adaptive, Team team)
{
  if (options.wide_parents)
    return std::make_unique<AdaptiveCpuStepper<std::int64_t>>(layout, labels, options, adaptive, team);
  return std::make_unique<AdaptiveCpuStepper<std::int32_t>>(layout, labels, options, adaptive, team);
}

// The status is kept whether levels are asked for or not.
std::uint64_t predict_adaptive_cpu_stepper_bytes(std::uint64_t vertices, bool wide_parents)
{
  std::uint64_t const parent = wide_parents ? sizeof(std::int64_t) : sizeof(std::int32_t);
  std::uint64_t const status = 2 * sizeof(std::int32_t);  // up to the next power of two
  std::uint64_t const queues = 3 * sizeof(Vertex);        // touched as far as a search fills them
  std::uint64_t const likely = sizeof(Vertex);
  return saturating_product(vertices, parent + status + queues + likely);
}

}  // namespace brushfire
