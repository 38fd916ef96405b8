// Normal vertices and delegates are two kinds of vertices, each with its own visited bits, frontier and parents.
// A delegate's results are kept by rank while the search runs and moved to its Vertex at the end.
//
// Parents are not cleared in advance: the first pull over the normal vertices, which walks their parents in order,
// also writes the -1 of those it does not settle; a search without such a pull writes them at its end.
#include "traverse/cpu/cpu_stepper.hpp"

#include "base/fill.hpp"
#include "base/saturating.hpp"
#include "traverse/cpu/among_devices.hpp"
#include "traverse/cpu/entry_account.hpp"
#include "traverse/cpu/frontier.hpp"
#include "traverse/cpu/level_log.hpp"
#include "traverse/cpu/levels_ahead.hpp"
#include "traverse/cpu/pull.hpp"
#include "traverse/cpu/push.hpp"
#include "traverse/cpu/search_index.hpp"
#include "traverse/cpu/short_lists.hpp"
#include "traverse/cpu/side.hpp"
#include "traverse/cpu/smallest_parents.hpp"
#include "traverse/cpu/subgraph_work.hpp"
#include "traverse/cpu/targets.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

using namespace cpu;

template <typename Parent>
class TypedCpuStepper final : public TreeStepper {
 public:
  // `part` is the one whose layout it is, null where it is that of a whole graph.
  TypedCpuStepper(const Layout& layout, const Part* part, LabelsView labels, const CpuStepperOptions& options,
                  Team team);
  TypedCpuStepper(const Part& part, DealtLabelsView labels, const CpuStepperOptions& options, Team team);

  LevelCounters start(std::uint64_t root, const Limits& limits) override;
  Outbox outbox(Round) override;
  void work(Round) override;
  void absorb(Round, Piece arrived) override;
  LevelCounters finish_level(Trace& trace, const Traffic& traffic) override;
  void finish(Exchange& exchange) override;
  TreeFacts facts() const override { return {log_.reached, log_.depth, std::numeric_limits<Parent>::digits + 1}; }
  TreeOnHost result() const override;

 private:
  Targets<Parent> targets_on(Side& side, Parent* parents, std::int32_t* levels, Subgraph to_delegates,
                             Subgraph to_normals, Measured measured);
  Targets<Parent> delegate_targets();
  Targets<Parent> normal_targets();

  void make_levels();
  bool keeps_levels() const { return options_.levels || options_.deterministic; }
  std::optional<Vertex> own_number(std::uint64_t vertex) const;
  void start_at(Side& side, Vertex v, const Targets<Parent>& targets, Subgraph to_delegates, Subgraph to_normals);
  bool visited(std::uint64_t vertex) const;
  Directions choose_directions() const;
  void expand_to(Side& side, const Targets<Parent>& targets, Subgraph from_delegates, Subgraph from_normals);
  void pull_to(Side& side, const Targets<Parent>& targets, Subgraph from_delegates, Subgraph from_normals);
  bool visits(Subgraph kind, Direction direction) const;
  LevelCounters close_level(Trace& trace);
  void count_found(Side& side, Subgraph to_delegates, Subgraph to_normals);
  void take_mask();

  const Layout& layout_;
  LabelsView labels_;
  CpuStepperOptions options_;
  Team team_;
  SearchIndex index_;

  Side delegates_, normals_;
  Buffer<Parent> parents_, delegate_parents_;
  // Empty unless somebody needs them. Other devices ask only about vertices that have targets there, and where nobody
  // else does, only their levels are written.
  Buffer<std::int32_t> levels_, delegate_levels_;

  std::optional<AmongDevices<Parent>> others_;  // as one of several devices

  std::uint64_t root_ = 0;
  bool cleared_ = false;
  LevelLog log_;
  EntryAccount entries_;
  PushRoom push_room_;
  std::vector<Tally> tallies_;
  // A whole graph without hubs, whose lists are all short: the mean stands for any.
  std::optional<LevelsAhead<Parent>> ahead_;
};

template <typename Parent>
TypedCpuStepper<Parent>::TypedCpuStepper(const Layout& layout, const Part* part, LabelsView labels,
                                         const CpuStepperOptions& options, Team team)
    : layout_(layout),
      labels_(labels),
      options_(options),
      team_(team),
      index_(layout, part, labels, team),
      delegates_(layout.delegates, index_.delegates_never_waiting, team),
      normals_(layout.vertices, index_.normals_never_waiting, team),
      parents_(capacity_for(layout.vertices)),
      delegate_parents_(capacity_for(layout.delegates)),
      push_room_{{std::max(layout.vertices, layout.delegates), team}, {layout.entries(), team}},
      tallies_(static_cast<std::size_t>(team.threads))
{
  // Other devices ask for levels when they look for parents.
  if (keeps_levels() || part != nullptr) make_levels();
  if (part == nullptr && layout.delegates == 0 && index_.longest_normal_list <= short_list)
    ahead_.emplace(layout, labels, options_.policy, team, push_room_, normals_, entries_, log_);
}

template <typename Parent>
TypedCpuStepper<Parent>::TypedCpuStepper(const Part& part, DealtLabelsView labels, const CpuStepperOptions& options,
                                         Team team)
    : TypedCpuStepper(part.layout, &part, labels.of(part.device), options, team)
{
  others_.emplace(part, index_, labels, options.uniquify, options.senders);
}

template <typename Parent>
void TypedCpuStepper<Parent>::make_levels()
{
  // Targets of an altered file may lie past the last vertex; they are on no level.
  auto const make = [](Buffer<std::int32_t>& levels, Vertex count) {
    levels = Buffer<std::int32_t>(capacity_for(count));
    std::fill(levels.data() + count, levels.data() + levels.size(), unreached);
  };
  make(levels_, layout_.vertices);
  if (keeps_levels()) make(delegate_levels_, layout_.delegates);
}

template <typename Parent>
Targets<Parent> TypedCpuStepper<Parent>::targets_on(Side& side, Parent* parents, std::int32_t* levels,
                                                    Subgraph to_delegates, Subgraph to_normals, Measured measured)
{
  return {.visited = side.visited.data(),
          .parents = parents,
          .levels = levels,
          .to_delegates = layout_.pushed(to_delegates),
          .to_normals = layout_.pushed(to_normals),
          .level = static_cast<std::int32_t>(log_.level + 1),
          .never_waiting = side.never_waiting.data(),
          .count = side.count,
          .among = nullptr,
          .measured = measured};
}

template <typename Parent>
Targets<Parent> TypedCpuStepper<Parent>::delegate_targets()
{
  return targets_on(delegates_, delegate_parents_.data(), delegate_levels_.data(), Subgraph::dd, Subgraph::dn,
                    Measured::all);
}

template <typename Parent>
Targets<Parent> TypedCpuStepper<Parent>::normal_targets()
{
  Measured const measured = ahead_ ? Measured::none : layout_.delegates > 0 ? Measured::some : Measured::all;
  return targets_on(normals_, parents_.data(), keeps_levels() ? levels_.data() : nullptr, Subgraph::nd, Subgraph::nn,
                    measured);
}

// The number of a vertex on this device, if it lives here.
template <typename Parent>
std::optional<Vertex> TypedCpuStepper<Parent>::own_number(std::uint64_t vertex) const
{
  return others_ ? others_->own_number(vertex) : std::optional(static_cast<Vertex>(vertex));
}

template <typename Parent>
LevelCounters TypedCpuStepper<Parent>::start(std::uint64_t root, const Limits& limits)
{
  root_ = root;
  cleared_ = false;
  std::fill(tallies_.begin(), tallies_.end(), Tally{});  // a search that was broken off leaves some
  delegates_.start(index_.searchable_delegates, team_);
  normals_.start(index_.searchable_normals, team_);
  if (!others_) fill_by_team(delegate_parents_.span().first(delegates_.count), static_cast<Parent>(no_label), team_);
  if (delegate_levels_.size() != 0) fill_by_team(delegate_levels_.span().first(delegates_.count), unreached, team_);
  if (levels_.size() != 0) fill_by_team(levels_.span().first(normals_.count), unreached, team_);
  entries_.start(index_.entries);
  if (others_) others_->restart();
  auto const number = own_number(root);
  log_.start(limits, number ? 1 : 0);
  if (auto const rank = index_.rank_of(root))
    start_at(delegates_, *rank, delegate_targets(), Subgraph::dd, Subgraph::dn);
  else if (number)
    start_at(normals_, *number, normal_targets(), Subgraph::nd, Subgraph::nn);
  bool const stop = limits.target == root || limits.max_depth == 0;
  return {log_.frontier, stop ? 1u : 0u};
}

template <typename Parent>
void TypedCpuStepper<Parent>::start_at(Side& side, Vertex v, const Targets<Parent>& targets, Subgraph to_delegates,
                                       Subgraph to_normals)
{
  if (!test_bit(side.visited.data(), v)) --side.waiting;
  set_bit(side.visited.data(), v);
  targets.parents[v] = static_cast<Parent>(&side == &delegates_ ? index_.delegate_labels[v] : labels_(v));
  if (targets.levels != nullptr) targets.levels[v] = 0;
  side.current().start_with(v);
  for (Subgraph const kind : {to_delegates, to_normals}) entries_.start_with(kind, layout_.pushed(kind).length(v));
}

template <typename Parent>
bool TypedCpuStepper<Parent>::visited(std::uint64_t vertex) const
{
  if (vertex == root_) return true;
  if (auto const rank = index_.rank_of(vertex))
    return others_ ? others_->was_found(*rank) : test_bit(delegates_.visited.data(), *rank);
  auto const number = own_number(vertex);
  return number && normals_.reached(*number);
}

template <typename Parent>
Directions TypedCpuStepper<Parent>::choose_directions() const
{
  Directions directions{};
  auto const choose = [&](Subgraph kind, const SubgraphWork& work) {
    return options_.policy.choose(kind, work, log_.record.directions[index_of(kind)]);
  };
  for (auto const& [from_delegates, from_normals] :
       {std::pair(Subgraph::dd, Subgraph::nd), std::pair(Subgraph::dn, Subgraph::nn)}) {
    const Side& targets = from_delegates == Subgraph::dd ? delegates_ : normals_;
    SubgraphWork const work = work_of(from_delegates, delegates_, targets, entries_);
    Direction const first = choose(from_delegates, work);
    SubgraphWork second = work_of(from_normals, normals_, targets, entries_);
    if (first == Direction::pull && entries_.in_frontier(from_delegates) > 0)
      second.left_by_other_pull = DirectionPolicy::left_by_pull(work);
    directions[index_of(from_delegates)] = first;
    directions[index_of(from_normals)] = choose(from_normals, second);
  }
  return directions;
}

template <typename Parent>
Outbox TypedCpuStepper<Parent>::outbox(Round round)
{
  Targets<Parent> targets;
  if (round.index == 0) {
    log_.watch = Stopwatch();
    log_.begin(choose_directions());
    targets = delegate_targets();
    if (others_) targets.among = index_.own_delegates.data();
    if (delegates_.count > 0) expand_to(delegates_, targets, Subgraph::dd, Subgraph::nd);
    count_found(delegates_, Subgraph::dd, Subgraph::dn);
    if (!others_) return {};
    return others_->first_round(normals_.current(), static_cast<std::int32_t>(log_.level), levels_.data(),
                                delegates_.next(), log_.record.edges_checked);
  }
  count_found(normals_, Subgraph::nd, Subgraph::nn);
  take_mask();
  others_->begin_second_round(delegates_.visited);
  targets = delegate_targets();
  targets.among = index_.other_delegates.data();
  pull_to(delegates_, targets, Subgraph::dd, Subgraph::nd);
  count_found(delegates_, Subgraph::dd, Subgraph::dn);
  return others_->second_round(delegates_.visited);
}

template <typename Parent>
void TypedCpuStepper<Parent>::work(Round round)
{
  if (round.index == 0) expand_to(normals_, normal_targets(), Subgraph::dn, Subgraph::nn);
}

// What another device found: vertices that live here, or delegates that it was late to find.
template <typename Parent>
void TypedCpuStepper<Parent>::absorb(Round round, Piece arrived)
{
  if (round.index == 0)
    others_->claim_arrived(arrived, normal_targets(), levels_.data(), normals_.next(), tallies_[0]);
  else
    others_->hear_late(arrived);
}

// A subgraph in which the frontier has no entries is not visited at all.
template <typename Parent>
bool TypedCpuStepper<Parent>::visits(Subgraph kind, Direction direction) const
{
  return entries_.in_frontier(kind) > 0 && log_.record.directions[index_of(kind)] == direction;
}

// All that reaches one kind of vertices in this level: from the frontier's delegates and from its normal vertices.
template <typename Parent>
void TypedCpuStepper<Parent>::expand_to(Side& side, const Targets<Parent>& targets, Subgraph from_delegates,
                                        Subgraph from_normals)
{
  pull_to(side, targets, from_delegates, from_normals);
  auto const push_from = [&](Side& sources, Subgraph kind, LabelsView labels) {
    if (!visits(kind, Direction::push)) return;
    Push<Parent>{layout_.pushed(kind), labels, targets, push_room_, side.next(), tallies_, team_}.run(
        sources.current().queue(), entries_.in_frontier(kind), ListOrder::sorted);
  };
  push_from(delegates_, from_delegates, {index_.delegate_labels.data(), 0});
  push_from(normals_, from_normals, labels_);
}

template <typename Parent>
void TypedCpuStepper<Parent>::pull_to(Side& side, const Targets<Parent>& targets, Subgraph from_delegates,
                                      Subgraph from_normals)
{
  const Vertex* const firsts =
      from_delegates == Subgraph::dn ? index_.first_delegates.data() : index_.first_delegates_of_delegates.data();
  PullList delegate_list{layout_.pulled(from_delegates),
                         nullptr,
                         {index_.delegate_labels.data(), 0},
                         firsts,
                         index_.narrow_delegate_labels.data()};
  PullList normal_list{layout_.pulled(from_normals), nullptr, labels_, nullptr};
  if (&side == &normals_) {
    if (firsts != nullptr) delegate_list.walked = index_.with_more_delegates.data();
    normal_list.walked = index_.with_normals.data();
  }
  if (visits(from_delegates, Direction::pull)) delegate_list.frontier = delegates_.current().bits();
  if (visits(from_normals, Direction::pull)) normal_list.frontier = normals_.current().bits();
  if (!delegate_list.asked() && !normal_list.asked()) return;
  bool const clear = &side == &normals_ && !cleared_;
  pull(delegate_list, normal_list, targets, clear, side.next(), tallies_, team_);
  cleared_ |= clear;
}

template <typename Parent>
void TypedCpuStepper<Parent>::count_found(Side& side, Subgraph to_delegates, Subgraph to_normals)
{
  Tally sum;
  for (Tally& tally : tallies_) sum += std::exchange(tally, Tally{});
  log_.record.edges_checked += sum.checked;
  entries_.add_found(to_delegates, sum.entries_to_delegates, sum.uncounted, side.waiting);
  entries_.add_found(to_normals, sum.entries_to_normals, sum.uncounted, side.waiting);
  side.waiting -= sum.discovered;
}

template <typename Parent>
void TypedCpuStepper<Parent>::take_mask()
{
  log_.frontier += others_->take_mask(delegate_targets(), delegates_.next(), tallies_[0]);
  count_found(delegates_, Subgraph::dd, Subgraph::dn);
}

template <typename Parent>
LevelCounters TypedCpuStepper<Parent>::finish_level(Trace& trace, const Traffic& traffic)
{
  if (others_ && delegates_.count > 0)
    take_mask();
  else
    count_found(normals_, Subgraph::nd, Subgraph::nn);
  if (!others_) log_.frontier += delegates_.next().size();
  log_.frontier += normals_.next().size();
  if (options_.policy.adaptive)
    log_.record.queue = joined(delegates_.current().how_queued(), normals_.current().how_queued());
  set_traffic(log_.record, traffic);
  LevelCounters const counters = close_level(trace);
  return ahead_ ? ahead_->run(counters, normal_targets(), tallies_, trace) : counters;
}

// The frontier to come becomes the current one.
template <typename Parent>
LevelCounters TypedCpuStepper<Parent>::close_level(Trace& trace)
{
  log_.record.seconds = log_.watch.lap();
  log_.end(trace);
  entries_.next_level();
  delegates_.take_turns();
  normals_.take_turns();
  return log_.counters(log_.limits.target && visited(*log_.limits.target));
}

template <typename Parent>
void TypedCpuStepper<Parent>::finish(Exchange& exchange)
{
  if (!cleared_) clear_unreached(normal_targets(), team_);
  if (options_.deterministic)
    choose_smallest_parents(index_, labels_, levels_.data(), delegate_levels_.data(), parents_.data(),
                            delegate_parents_.data(), team_);
  if (others_)
    others_->settle(levels_.data(), delegate_parents_.data(), parents_.data(), options_.deterministic, exchange);
  move_delegates_home(index_, delegate_parents_.data(), parents_.data(), team_);
  if (keeps_levels()) move_delegates_home(index_, delegate_levels_.data(), levels_.data(), team_);
  // A root that nobody can discover counts as never waiting, and was cleared with those.
  if (auto const root = own_number(root_)) parents_[*root] = static_cast<Parent>(labels_(*root));
}

template <typename Parent>
TreeOnHost TypedCpuStepper<Parent>::result() const
{
  TreeOnHost result;
  result.parents = ParentsView(parents_.data(), layout_.vertices);
  if (options_.levels) result.levels = levels_.span().first(layout_.vertices);
  return result;
}

}  // namespace

std::unique_ptr<TreeStepper> make_cpu_stepper(const Layout& layout, LabelsView labels, const CpuStepperOptions& options,
                                              Team team)
{
  if (options.wide_parents)
    return std::make_unique<TypedCpuStepper<std::int64_t>>(layout, nullptr, labels, options, team);
  return std::make_unique<TypedCpuStepper<std::int32_t>>(layout, nullptr, labels, options, team);
}

std::unique_ptr<TreeStepper> make_cpu_stepper(const Part& part, DealtLabelsView labels,
                                              const CpuStepperOptions& options, Team team)
{
  if (options.wide_parents) return std::make_unique<TypedCpuStepper<std::int64_t>>(part, labels, options, team);
  return std::make_unique<TypedCpuStepper<std::int32_t>>(part, labels, options, team);
}

std::uint64_t predict_cpu_stepper_bytes(std::uint64_t vertices, std::uint64_t delegates, bool wide_parents, bool levels,
                                        Team team)
{
  std::uint64_t const result = (wide_parents ? sizeof(std::int64_t) : sizeof(std::int32_t)) + (levels ? 4 : 0);
  // Two queues, which a search touches as far as its frontiers fill them, and four sets of bits.
  std::uint64_t const search = 2 * sizeof(Vertex) + 1;
  // Its first neighbour; without delegates there are none, and long searches have bits for each thread.
  std::uint64_t const bits_of_threads = static_cast<std::uint64_t>(team.threads) * capacity_for(vertices) / 8;
  std::uint64_t const index_of_normals = delegates > 0 ? saturating_product(vertices, sizeof(Vertex)) : bits_of_threads;
  std::uint64_t const index_of_delegate = sizeof(Label) + 4 * sizeof(Vertex);
  return saturating_sum({saturating_product(vertices, result + search), index_of_normals,
                         saturating_product(delegates, result + search + index_of_delegate),
                         FindingBins::predict_bytes(std::max(vertices, delegates), team.threads)});
}

}  // namespace brushfire
