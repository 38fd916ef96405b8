// Normal vertices and delegates are two kinds of vertices, each with its own visited bits, frontier and parents.
// A delegate's results are kept by rank while the search runs and moved to its Vertex at the end.
//
// Parents are not cleared in advance: the first pull over the normal vertices, which walks their parents in order,
// also writes the -1 of those it does not settle; a search without such a pull writes them at its end.
#include "traverse/cpu/cpu_stepper.hpp"

#include "base/clock.hpp"
#include "traverse/cpu/frontier.hpp"
#include "traverse/cpu/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace brushfire {

namespace {

using namespace cpu;

constexpr std::size_t index_of(Subgraph kind) { return static_cast<std::size_t>(kind); }

// The vertices of one kind: delegates by rank, or normal vertices by Vertex.
template <typename Parent>
struct Side {
  std::uint64_t count = 0;
  Buffer<Word> visited;
  Buffer<Word> never_waiting;
  std::array<Frontier, 2> frontiers;
  std::uint64_t searchable = 0;  // vertices that have neighbours at all
  std::uint64_t waiting = 0;     // of those, not yet visited

  void reserve(Vertex vertices)
  {
    count = vertices;
    visited = Buffer<Word>(words_for(capacity_for(vertices)));
    never_waiting = Buffer<Word>(words_for(capacity_for(vertices)));
    // Targets of an altered file may lie past the last vertex, but nothing there can be discovered.
    for (std::uint64_t v = vertices; v < capacity_for(vertices); ++v) set_bit(never_waiting.data(), v);
    for (Frontier& frontier : frontiers) std::construct_at(&frontier, vertices);
  }
  std::uint64_t bytes() const
  {
    return visited.bytes() + never_waiting.bytes() + frontiers[0].bytes() + frontiers[1].bytes();
  }
};

template <typename Parent>
class TypedCpuStepper final : public CpuStepper {
 public:
  TypedCpuStepper(const Layout& layout, LabelsView labels, const CpuStepperOptions& options, Team team);

  LevelCounters start(Vertex root, const Limits& limits) override;
  std::span<const Piece> outbox(Round) override { return {}; }
  void work(Round) override;
  void absorb(Round, Piece) override {}
  LevelCounters finish_level(Trace& trace) override;
  void finish() override;
  CpuResult result() const override;
  std::uint64_t bytes() const override;

 private:
  struct Kinds {
    Subgraph to_delegates, to_normals;
  };
  Frontier& current(const Side<Parent>& side) { return const_cast<Frontier&>(side.frontiers[turn_]); }
  Frontier& next(const Side<Parent>& side) { return const_cast<Frontier&>(side.frontiers[1 - turn_]); }

  std::optional<Vertex> rank_of(Vertex vertex) const;
  bool visited(Vertex vertex) const;
  SubgraphWork work_of(Subgraph kind) const;
  Directions choose_directions() const;
  Targets<Parent> delegate_targets();
  Targets<Parent> normal_targets();
  void expand_to(Side<Parent>& side, const Targets<Parent>& targets, Subgraph from_delegates, Subgraph from_normals);
  void count_found(Side<Parent>& side, Subgraph to_delegates, Subgraph to_normals);
  void clear_unreached();
  void move_delegates_home();
  void choose_smallest_parents();

  const Layout& layout_;
  LabelsView labels_;
  CpuStepperOptions options_;
  Team team_;
  Limits limits_;

  Side<Parent> delegates_, normals_;
  std::array<std::uint64_t, subgraph_count> all_entries_{};
  std::array<std::uint64_t, subgraph_count> unexplored_{};          // entries of sources not yet visited
  std::array<std::uint64_t, subgraph_count> frontier_entries_{};    // entries of the frontier
  std::array<std::uint64_t, subgraph_count> discovered_entries_{};  // entries of the next frontier
  Buffer<Label> delegate_labels_;
  Buffer<Vertex> first_delegates_;       // of every normal vertex: where most pulls end
  std::vector<Vertex> ranks_by_vertex_;  // all ranks, by rising Vertex
  Buffer<Parent> parents_, delegate_parents_;
  Buffer<std::int32_t> levels_, delegate_levels_;

  Vertex root_ = 0;
  std::size_t turn_ = 0;
  std::int64_t level_ = 0;  // of the current frontier
  std::uint64_t reached_ = 0;
  bool cleared_ = false;
  std::vector<Tally> tallies_;
  LevelRecord record_;
};

template <typename Parent>
TypedCpuStepper<Parent>::TypedCpuStepper(const Layout& layout, LabelsView labels, const CpuStepperOptions& options,
                                         Team team)
    : layout_(layout),
      labels_(labels),
      options_(options),
      team_(team),
      delegate_labels_(layout.delegates),
      first_delegates_(layout.delegates == 0 ? 0 : layout.vertices),
      ranks_by_vertex_(layout.delegates),
      parents_(capacity_for(layout.vertices)),
      delegate_parents_(capacity_for(layout.delegates)),
      tallies_(static_cast<std::size_t>(team.threads))
{
  delegates_.reserve(layout.delegates);
  normals_.reserve(layout.vertices);
  if (options.levels || options.deterministic) {
    levels_ = Buffer<std::int32_t>(capacity_for(layout.vertices));
    delegate_levels_ = Buffer<std::int32_t>(capacity_for(layout.delegates));
  }
  auto const capacity_mask = static_cast<Vertex>(capacity_for(layout.vertices) - 1);
  for (Vertex rank = 0; rank < layout.delegates; ++rank) {
    ranks_by_vertex_[rank] = rank;
    Vertex const vertex = layout.delegate_vertices[rank] & capacity_mask;
    delegate_labels_[rank] = vertex < layout.vertices ? labels(vertex) : no_label;
    set_bit(normals_.never_waiting.data(), vertex);
  }
  std::sort(ranks_by_vertex_.begin(), ranks_by_vertex_.end(),
            [&](Vertex a, Vertex b) { return layout.delegate_vertices[a] < layout.delegate_vertices[b]; });

  SubgraphView const to_delegates = layout.in.view(Subgraph::nd, layout.delegates, layout.vertices);
  SubgraphView const to_normals = layout.in.view(Subgraph::nn, layout.delegates, layout.vertices);
  normals_.searchable = layout.vertices - layout.delegates;
  for (Vertex v = 0; v < layout.vertices; ++v) {
    if (test_bit(normals_.never_waiting.data(), v) || to_delegates.length(v) + to_normals.length(v) != 0) continue;
    set_bit(normals_.never_waiting.data(), v);  // nobody can ever discover it
    --normals_.searchable;
  }
  team_.for_blocks(first_delegates_.size(), 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) {
      EntryRange const row = to_delegates.row(static_cast<Vertex>(v));
      first_delegates_[v] = row.size() == 0 ? no_vertex : to_delegates.target(row.first);
    }
  });
  delegates_.searchable = layout.delegates;
  for (Subgraph const kind : {Subgraph::dd, Subgraph::dn, Subgraph::nd, Subgraph::nn})
    all_entries_[index_of(kind)] = layout.entries(kind);
}

template <typename Parent>
std::optional<Vertex> TypedCpuStepper<Parent>::rank_of(Vertex vertex) const
{
  auto const found = std::lower_bound(ranks_by_vertex_.begin(), ranks_by_vertex_.end(), vertex,
                                      [&](Vertex rank, Vertex v) { return layout_.delegate_vertices[rank] < v; });
  if (found == ranks_by_vertex_.end() || layout_.delegate_vertices[*found] != vertex) return std::nullopt;
  return *found;
}

template <typename Parent>
bool TypedCpuStepper<Parent>::visited(Vertex vertex) const
{
  if (vertex == root_) return true;
  if (auto const rank = rank_of(vertex)) return test_bit(delegates_.visited.data(), *rank);
  return test_bit(normals_.visited.data(), vertex) && !test_bit(normals_.never_waiting.data(), vertex);
}

template <typename Parent>
LevelCounters TypedCpuStepper<Parent>::start(Vertex root, const Limits& limits)
{
  limits_ = limits;
  root_ = root;
  level_ = 0;
  reached_ = 1;
  cleared_ = false;
  for (Side<Parent>* const side : {&delegates_, &normals_}) {
    std::memcpy(side->visited.data(), side->never_waiting.data(), side->visited.bytes());
    for (Frontier& frontier : side->frontiers) frontier.clear();
  }
  std::fill_n(delegate_parents_.data(), delegates_.count, static_cast<Parent>(no_label));
  std::fill_n(delegate_levels_.data(), std::min<std::size_t>(delegate_levels_.size(), delegates_.count), unreached);
  std::fill_n(levels_.data(), std::min<std::size_t>(levels_.size(), normals_.count), unreached);
  delegates_.waiting = delegates_.searchable;
  normals_.waiting = normals_.searchable;
  unexplored_ = all_entries_;
  frontier_entries_ = {};

  auto const start_at = [&](Side<Parent>& side, Vertex v, Subgraph to_delegates, Subgraph to_normals) {
    if (!test_bit(side.visited.data(), v)) --side.waiting;
    set_bit(side.visited.data(), v);
    current(side).start_with(v);
    for (Subgraph const kind : {to_delegates, to_normals}) {
      frontier_entries_[index_of(kind)] = layout_.pushed(kind).length(v);
      unexplored_[index_of(kind)] -= frontier_entries_[index_of(kind)];
    }
  };
  Targets<Parent> targets;
  Vertex index = root;
  if (auto const rank = rank_of(root)) {
    start_at(delegates_, *rank, Subgraph::dd, Subgraph::dn);
    targets = delegate_targets();
    index = *rank;
  } else {
    start_at(normals_, root, Subgraph::nd, Subgraph::nn);
    targets = normal_targets();
  }
  targets.level = 0;
  targets.settle(index, labels_(root));
  bool const stop = (limits.target && *limits.target == root) || (limits.max_depth && *limits.max_depth == 0);
  return {1, stop ? 1u : 0u};
}

template <typename Parent>
Targets<Parent> TypedCpuStepper<Parent>::delegate_targets()
{
  return {delegates_.visited.data(),       delegate_parents_.data(),
          delegate_levels_.data(),         layout_.pushed(Subgraph::dd),
          layout_.pushed(Subgraph::dn),    static_cast<std::int32_t>(level_ + 1),
          delegates_.never_waiting.data(), delegates_.count};
}

template <typename Parent>
Targets<Parent> TypedCpuStepper<Parent>::normal_targets()
{
  return {normals_.visited.data(),
          parents_.data(),
          levels_.data(),
          layout_.pushed(Subgraph::nd),
          layout_.pushed(Subgraph::nn),
          static_cast<std::int32_t>(level_ + 1),
          normals_.never_waiting.data(),
          normals_.count};
}

template <typename Parent>
SubgraphWork TypedCpuStepper<Parent>::work_of(Subgraph kind) const
{
  bool const to_delegates = kind == Subgraph::dd || kind == Subgraph::nd;
  const Side<Parent>& targets = to_delegates ? delegates_ : normals_;
  Subgraph const reversed = kind == Subgraph::dn ? Subgraph::nd : kind == Subgraph::nd ? Subgraph::dn : kind;
  SubgraphWork work;
  work.frontier_entries = frontier_entries_[index_of(kind)];
  work.unexplored_entries = unexplored_[index_of(kind)];
  work.waiting = targets.waiting;
  work.mean_list = targets.waiting == 0
                       ? 0
                       : static_cast<double>(unexplored_[index_of(reversed)]) / static_cast<double>(targets.waiting);
  work.scanned_words = words_for(targets.count);
  return work;
}

template <typename Parent>
Directions TypedCpuStepper<Parent>::choose_directions() const
{
  Directions directions{};
  for (auto const& [from_delegates, from_normals] :
       {std::pair(Subgraph::dd, Subgraph::nd), {Subgraph::dn, Subgraph::nn}}) {
    Direction const first = options_.policy.choose(work_of(from_delegates));
    SubgraphWork second = work_of(from_normals);
    second.rides_along = first == Direction::pull && frontier_entries_[index_of(from_delegates)] > 0;
    directions[index_of(from_delegates)] = first;
    directions[index_of(from_normals)] = options_.policy.choose(second);
  }
  return directions;
}

// All that reaches one kind of vertices in this level: from the frontier's delegates and from its normal vertices.
template <typename Parent>
void TypedCpuStepper<Parent>::expand_to(Side<Parent>& side, const Targets<Parent>& targets, Subgraph from_delegates,
                                        Subgraph from_normals)
{
  LabelsView const delegate_labels{delegate_labels_.data(), 0};
  auto const direction = [&](Subgraph kind) { return record_.directions[index_of(kind)]; };
  bool const delegates_expand = current(delegates_).size() > 0 && frontier_entries_[index_of(from_delegates)] > 0;
  bool const normals_expand = current(normals_).size() > 0 && frontier_entries_[index_of(from_normals)] > 0;

  PullList delegate_list{layout_.pulled(from_delegates), nullptr, delegate_labels,
                         from_delegates == Subgraph::dn ? first_delegates_.data() : nullptr};
  PullList normal_list{layout_.pulled(from_normals), nullptr, labels_, nullptr};
  if (delegates_expand && direction(from_delegates) == Direction::pull)
    delegate_list.frontier = current(delegates_).bits();
  if (normals_expand && direction(from_normals) == Direction::pull) normal_list.frontier = current(normals_).bits();
  if (delegate_list.frontier != nullptr || normal_list.frontier != nullptr) {
    bool const clear = &side == &normals_ && !cleared_;
    pull(delegate_list, normal_list, targets, clear, next(side), tallies_, team_);
    cleared_ |= clear;
  }
  if (delegates_expand && direction(from_delegates) == Direction::push)
    push(layout_.pushed(from_delegates), current(delegates_).queue(team_), frontier_entries_[index_of(from_delegates)],
         delegate_labels, targets, next(side), tallies_, team_);
  if (normals_expand && direction(from_normals) == Direction::push)
    push(layout_.pushed(from_normals), current(normals_).queue(team_), frontier_entries_[index_of(from_normals)],
         labels_, targets, next(side), tallies_, team_);
}

template <typename Parent>
void TypedCpuStepper<Parent>::count_found(Side<Parent>& side, Subgraph to_delegates, Subgraph to_normals)
{
  Tally sum;
  for (Tally& tally : tallies_) sum += std::exchange(tally, Tally{});
  side.waiting -= sum.discovered;
  reached_ += sum.discovered;
  record_.discovered += sum.discovered;
  record_.edges_checked += sum.checked;
  discovered_entries_[index_of(to_delegates)] = sum.entries_to_delegates;
  discovered_entries_[index_of(to_normals)] = sum.entries_to_normals;
  unexplored_[index_of(to_delegates)] -= sum.entries_to_delegates;
  unexplored_[index_of(to_normals)] -= sum.entries_to_normals;
}

template <typename Parent>
void TypedCpuStepper<Parent>::work(Round)
{
  Stopwatch const watch;
  record_ = {};
  record_.level = level_;
  record_.frontier = current(delegates_).size() + current(normals_).size();
  record_.directions = choose_directions();
  if (delegates_.count != 0) expand_to(delegates_, delegate_targets(), Subgraph::dd, Subgraph::nd);
  count_found(delegates_, Subgraph::dd, Subgraph::dn);
  expand_to(normals_, normal_targets(), Subgraph::dn, Subgraph::nn);
  count_found(normals_, Subgraph::nd, Subgraph::nn);
  record_.seconds = watch.seconds();
}

template <typename Parent>
LevelCounters TypedCpuStepper<Parent>::finish_level(Trace& trace)
{
  trace.add(record_);
  current(delegates_).clear();
  current(normals_).clear();
  turn_ = 1 - turn_;
  frontier_entries_ = discovered_entries_;
  if (record_.discovered > 0) ++level_;
  bool const stop = (limits_.target && visited(*limits_.target)) || (limits_.max_depth && level_ >= *limits_.max_depth);
  return {record_.discovered, stop ? 1u : 0u};
}

template <typename Parent>
void TypedCpuStepper<Parent>::finish()
{
  if (!cleared_) clear_unreached();
  move_delegates_home();
  if (!rank_of(root_)) parents_[root_] = static_cast<Parent>(labels_(root_));  // an isolated root was cleared
  if (options_.deterministic) choose_smallest_parents();
}

template <typename Parent>
void TypedCpuStepper<Parent>::clear_unreached()
{
  team_.for_blocks(words_for(normals_.count), 256, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t w = first; w < last; ++w) {
      Word const reached = normals_.visited[w] & ~normals_.never_waiting[w];
      std::uint64_t const end = std::min(normals_.count, (w + 1) * word_bits);
      for (std::uint64_t v = w * word_bits; v < end; ++v)
        if ((reached & bit_of(v)) == 0) parents_[v] = static_cast<Parent>(no_label);
    }
  });
}

template <typename Parent>
void TypedCpuStepper<Parent>::move_delegates_home()
{
  auto const mask = static_cast<Vertex>(capacity_for(layout_.vertices) - 1);
  team_.for_blocks(delegates_.count, 4096, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) {
      Vertex const rank = ranks_by_vertex_[i];
      Vertex const vertex = layout_.delegate_vertices[rank] & mask;
      parents_[vertex] = delegate_parents_[rank];
      if (levels_.size() != 0) levels_[vertex] = delegate_levels_[rank];
    }
  });
}

// Among all neighbours one level up, the parent becomes the one with the smallest label.
template <typename Parent>
void TypedCpuStepper<Parent>::choose_smallest_parents()
{
  auto const choose = [&](Vertex vertex, Vertex row, const SubgraphView& delegates, const SubgraphView& normals) {
    if (levels_[vertex] <= 0) return;
    std::int32_t const above = levels_[vertex] - 1;
    Label smallest = largest_label;
    EntryRange const delegate_row = delegates.row(row);
    for (EdgeIndex e = delegate_row.first; e < delegate_row.last; ++e)
      if (Vertex const u = delegates.target(e); delegate_levels_[u] == above)
        smallest = std::min(smallest, delegate_labels_[u]);
    EntryRange const normal_row = normals.row(row);
    for (EdgeIndex e = normal_row.first; e < normal_row.last; ++e)
      if (Vertex const u = normals.target(e); levels_[u] == above) {
        smallest = std::min(smallest, labels_(u));
        break;  // Vertices rise with labels
      }
    parents_[vertex] = static_cast<Parent>(smallest);
  };
  auto const mask = static_cast<Vertex>(capacity_for(layout_.vertices) - 1);
  team_.for_blocks(delegates_.count, 64, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t rank = first; rank < last; ++rank)
      choose(layout_.delegate_vertices[rank] & mask, static_cast<Vertex>(rank), layout_.pulled(Subgraph::dd),
             layout_.pulled(Subgraph::nd));
  });
  team_.for_blocks(normals_.count, 4096, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v)
      if (!test_bit(normals_.never_waiting.data(), v))
        choose(static_cast<Vertex>(v), static_cast<Vertex>(v), layout_.pulled(Subgraph::dn),
               layout_.pulled(Subgraph::nn));
  });
}

template <typename Parent>
CpuResult TypedCpuStepper<Parent>::result() const
{
  CpuResult result;
  result.parents = ParentsView(parents_.data(), layout_.vertices);
  if (options_.levels) result.levels = levels_.span().first(layout_.vertices);
  result.reached = reached_;
  result.depth = level_;
  return result;
}

template <typename Parent>
std::uint64_t TypedCpuStepper<Parent>::bytes() const
{
  return delegates_.bytes() + normals_.bytes() + delegate_labels_.bytes() + first_delegates_.bytes() +
         ranks_by_vertex_.size() * sizeof(Vertex) + parents_.bytes() + delegate_parents_.bytes() + levels_.bytes() +
         delegate_levels_.bytes();
}

}  // namespace

std::unique_ptr<CpuStepper> make_cpu_stepper(const Layout& layout, LabelsView labels, const CpuStepperOptions& options,
                                             Team team)
{
  if (options.wide_parents) return std::make_unique<TypedCpuStepper<std::int64_t>>(layout, labels, options, team);
  return std::make_unique<TypedCpuStepper<std::int32_t>>(layout, labels, options, team);
}

std::uint64_t predict_cpu_stepper_bytes(std::uint64_t vertices, bool wide_parents, bool levels)
{
  std::uint64_t const bits = 4 * vertices / 8;    // visited, never waiting, two frontiers
  std::uint64_t const queues = 2 * vertices * 4;  // touched only as far as a frontier fills them
  std::uint64_t const firsts = vertices * 4;
  return bits + queues + firsts + vertices * (wide_parents ? 8 : 4) + (levels ? vertices * 4 : 0);
}

}  // namespace brushfire
