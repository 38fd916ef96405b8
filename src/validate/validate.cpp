// The five rules in three passes: levels from the parents (rules 1 and 2), one pass over the tuples (rules 3
// and 4, and a mark for every vertex whose tree edge is among them), one over the marks (rule 5). The verdict
// is the smallest rule that is broken, by its first witness, so it does not depend on the number of threads.
#include "validate/validate.hpp"

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "input/edge_blocks.hpp"
#include "validate/arc.hpp"
#include "validate/lowest.hpp"
#include "validate/tree_levels.hpp"
#include "validate/witness.hpp"

#include <algorithm>
#include <atomic>

namespace brushfire {

namespace {

constexpr std::uint64_t words_per_block = 256;

class Judge {
 public:
  Judge(const EdgeSource& source, const Labels& labels, Vertex root, ParentsView parents, const TreeRules& rules,
        Team team)
      : source_(source),
        labels_(labels),
        root_(root),
        parents_(parents),
        rules_(rules),
        team_(team),
        tree_(derive_levels(labels, root, parents, team)),
        marks_(words_for(labels.size())),
        witness_(
            source, labels, root, [this](Vertex v) { return parents_[v]; }, [this](Vertex v) { return level(v); })
  {
    verdict_.reached = tree_.reached;
    verdict_.depth = tree_.depth;
  }

  Verdict judge(Progress& progress)
  {
    if (tree_.rule_1 != Lowest::none) return broken(verdict_, 1, witness_.not_rooted(tree_.rule_1));
    if (tree_.rule_2 != Lowest::none) return broken(verdict_, 2, witness_.no_parent(tree_.rule_2));
    if (level(root_) == unreached) return broken(verdict_, 4, witness_.root_missing());

    check_edges(progress);
    if (too_steep_.found()) return broken(verdict_, 3, witness_.joins_levels(too_steep_.index()));
    if (tree_.depth > rules_.deepest())
      return broken(verdict_, 4, witness_.too_deep(first_too_deep(), rules_.deepest()));
    if (leaving_.found()) return broken(verdict_, 4, witness_.leaves_tree(leaving_.index()));

    check_marks();
    if (unmarked_.found()) return broken(verdict_, 5, witness_.not_an_edge(unmarked_.index()));
    return verdict_;
  }

 private:
  std::int32_t level(std::uint64_t v) const { return tree_.levels[v]; }

  void check_edges(Progress& progress)
  {
    std::atomic<std::uint64_t> inside{0};
    progress.begin("validating", source_.facts().edges, "edges");
    for_each_edge_block(source_, team_, progress, [&](std::uint64_t first, std::span<const Edge> edges, int) {
      std::uint64_t inside_here = 0;
      for (std::size_t i = 0; i < edges.size(); ++i)
        if (edges[i].source != edges[i].target) inside_here += check_edge(edges[i], first + i);
      inside.fetch_add(inside_here, std::memory_order_relaxed);
    });
    progress.end();
    verdict_.nedge = rules_.edges_in(inside, source_.facts());
  }

  // Whether both ends are in the tree.
  bool check_edge(Edge edge, std::uint64_t index)
  {
    Vertex const u = labels_.vertex(edge.source);
    Vertex const v = labels_.vertex(edge.target);
    check_arc(u, v, edge.source, index);
    if (!rules_.directed) check_arc(v, u, edge.target, index);
    return level(u) != unreached && level(v) != unreached;
  }

  void check_arc(Vertex u, Vertex v, Label u_label, std::uint64_t index)
  {
    Arc const arc = judge_arc(level(u), level(v), rules_.deepest());
    if (arc == Arc::leaves) leaving_.offer(index);
    if (arc == Arc::too_steep) too_steep_.offer(index);
    if (arc == Arc::one_down && parents_[v] == u_label && !test_bit_shared(marks_.data(), v))
      claim_bit(marks_.data(), v);
  }

  void check_marks()
  {
    team_.for_blocks(marks_.size(), words_per_block, [&](std::uint64_t first, std::uint64_t last, int) {
      auto const end = std::min<std::uint64_t>(last * word_bits, labels_.size());
      for (auto v = first * word_bits; v < end; ++v)
        if (level(v) > 0 && !test_bit(marks_.data(), v)) unmarked_.offer(v);
    });
  }

  std::uint64_t first_too_deep() const
  {
    std::uint64_t v = 0;
    while (level(v) <= rules_.deepest()) ++v;
    return v;
  }

  const EdgeSource& source_;
  const Labels& labels_;
  Vertex root_;
  ParentsView parents_;
  const TreeRules& rules_;
  Team team_;
  TreeLevels tree_;
  Buffer<Word> marks_;  // vertices whose edge to their parent was met
  Witness witness_;
  Lowest too_steep_;  // tuples
  Lowest leaving_;    // tuples
  Lowest unmarked_;   // vertices
  Verdict verdict_;
};

}  // namespace

Verdict validate_tree(const EdgeSource& source, const Labels& labels, Label root, ParentsView parents,
                      const TreeRules& rules, Team team, Progress& progress)
{
  Vertex const root_vertex = root_of_request(source, labels, root, parents.size());
  return Judge(source, labels, root_vertex, parents, rules, team).judge(progress);
}

}  // namespace brushfire
