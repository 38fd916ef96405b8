// Two passes over the vertices. The first settles every vertex that its own parent value settles: the root,
// those outside the tree, those whose parent is unusable. The second walks from each other vertex up to the
// first settled one and then settles the whole walk. A thread never walks over a vertex that it has settled
// before, so its walks take O(n) steps together, for any shape of tree. Threads may walk the same chain at the
// same time; they write the same values.
#include "validate/tree_levels.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace brushfire {

namespace {

constexpr auto unsettled = TreeLevels::unsettled;
constexpr auto severed = TreeLevels::severed;
constexpr auto astray = TreeLevels::astray;

constexpr std::uint64_t vertices_per_block = 1 << 14;

class Deriver {
 public:
  Deriver(const Labels& labels, Vertex root, ParentsView parents)
      : labels_(labels), root_(root), parents_(parents), levels_(labels.size())
  {
  }

  TreeLevels derive(Team team)
  {
    std::atomic<std::uint64_t> reached{0};
    std::atomic<std::int32_t> depth{0};
    team.for_blocks(labels_.size(), vertices_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
      for (auto v = first; v < last; ++v) levels_[v] = settle_alone(static_cast<Vertex>(v));
    });
    team.for_blocks(labels_.size(), vertices_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
      std::uint64_t in_tree = 0;
      std::int32_t deepest = 0;
      for (auto v = first; v < last; ++v) {
        if (level(static_cast<Vertex>(v)) == unsettled) walk_up(static_cast<Vertex>(v));
        std::int32_t const settled = level(static_cast<Vertex>(v));
        in_tree += settled != unreached;
        deepest = std::max(deepest, settled);
        if (settled == astray) rule_1_.offer(v);
      }
      reached.fetch_add(in_tree, std::memory_order_relaxed);
      std::int32_t known = depth.load(std::memory_order_relaxed);
      while (deepest > known && !depth.compare_exchange_weak(known, deepest, std::memory_order_relaxed)) {
      }
    });
    return {std::move(levels_), reached, depth, rule_1_.index(), rule_2_.index()};
  }

 private:
  // Relaxed: a level is a value by itself, and whoever does not see it yet walks on and finds the same.
  std::int32_t level(Vertex v) { return std::atomic_ref<std::int32_t>(levels_[v]).load(std::memory_order_relaxed); }
  void set_level(Vertex v, std::int32_t level)
  {
    std::atomic_ref<std::int32_t>(levels_[v]).store(level, std::memory_order_relaxed);
  }

  std::int32_t settle_alone(Vertex v)
  {
    Label const parent = parents_[v];
    if (parent == no_label) return unreached;
    if (v == root_) {
      if (parent != labels_.label(root_)) rule_1_.offer(v);
      return 0;
    }
    auto const above = labels_.find(parent);
    if (!above || parents_[*above] == no_label) {
      rule_2_.offer(v);
      return severed;
    }
    return unsettled;
  }

  // Every unsettled vertex has a parent that is in the tree.
  Vertex parent_of(Vertex unsettled_vertex) const { return labels_.vertex(parents_[unsettled_vertex]); }

  void walk_up(Vertex start)
  {
    // Brent's cycle detection: come back to a landmark that moves up at every power of two. A walk round a
    // cycle is then at most a few times as long as the cycle.
    Vertex v = start;
    Vertex landmark = start;
    std::uint64_t steps = 0;
    std::uint64_t next_landmark = 1;
    std::int32_t end = level(v);
    while (end == unsettled) {
      if (steps == next_landmark) {
        landmark = v;
        next_landmark *= 2;
      }
      v = parent_of(v);
      ++steps;
      end = v == landmark ? astray : level(v);
    }
    settle_walk(start, steps, end);
  }

  void settle_walk(Vertex start, std::uint64_t steps, std::int32_t end)
  {
    std::int64_t next_level = end + static_cast<std::int64_t>(steps);
    if (end >= 0 && next_level > std::numeric_limits<std::int32_t>::max()) refuse_depth();
    for (Vertex v = start; steps > 0; --steps, --next_level) {
      set_level(v, end < 0 ? end : static_cast<std::int32_t>(next_level));
      v = parent_of(v);
    }
  }

  const Labels& labels_;
  Vertex root_;
  ParentsView parents_;
  Buffer<std::int32_t> levels_;
  Lowest rule_1_;
  Lowest rule_2_;
};

}  // namespace

void refuse_depth() { fail(ErrorKind::failure, "the tree is deeper than 2^31-1 levels, more than a level can hold"); }

TreeLevels derive_levels(const Labels& labels, Vertex root, ParentsView parents, Team team)
{
  return Deriver(labels, root, parents).derive(team);
}

}  // namespace brushfire
