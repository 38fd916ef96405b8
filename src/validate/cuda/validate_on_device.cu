// The passes of validate_tree() as kernels: levels from the parents (rules 1 and 2), one pass over the tuples (rules 3
// and 4, and a mark for every vertex whose tree edge is among them), one over the marks (rule 5). Witnesses are
// smallest indices, so the verdict does not depend on the order in which threads meet them.
#include "validate/cuda/validate_on_device.hpp"

#include "device/launch.cuh"
#include "validate/cuda/tree_levels_on_device.hpp"
#include "validate/cuda/tree_view.cuh"
#include "validate/lowest.hpp"
#include "validate/witness.hpp"

#include <algorithm>

namespace brushfire {

namespace {

using device::block_threads;

using MarkWord = std::uint32_t;
constexpr std::uint64_t mark_bits = 32;
constexpr std::uint64_t mark_words(std::uint64_t vertices) { return (vertices + mark_bits - 1) / mark_bits; }

struct TupleFindings {
  std::uint64_t too_steep = Lowest::none;  // tuples
  std::uint64_t leaving = Lowest::none;    // tuples
  std::uint64_t too_deep = Lowest::none;   // vertices
  std::uint64_t unmarked = Lowest::none;   // vertices
  std::uint64_t inside = 0;                // tuples with both ends in the tree, self-loops not counted
};

struct JudgeView {
  TreeView tree;
  const std::int32_t* levels;
  MarkWord* marks;  // vertices whose edge to their parent was met
  TupleFindings* findings;
  std::int64_t deepest;
  bool directed;

  __device__ static MarkWord mark_of(Vertex v) { return MarkWord{1} << (v % mark_bits); }
  __device__ bool marked(Vertex v) const { return (marks[v / mark_bits] & mark_of(v)) != 0; }

  __device__ void mark(Vertex v) const
  {
    auto const word = atomically(marks[v / mark_bits]);
    // A tree edge may be listed often; a look is far cheaper than an atomic write.
    if ((word.load(cuda::memory_order_relaxed) & mark_of(v)) == 0)
      word.fetch_or(mark_of(v), cuda::memory_order_relaxed);
  }

  // What u being in the tree, at level `from`, means for its neighbour v at level `to`.
  __device__ void check_arc(Vertex u, Vertex v, std::int32_t from, std::int32_t to, std::uint64_t index) const
  {
    if (from == unreached) return;
    if (to == unreached) {
      if (from < deepest) offer(findings->leaving, index);
    } else if (to > from + 1) {
      offer(findings->too_steep, index);
    } else if (to == from + 1 && tree.parent(v) == tree.label(u)) {
      mark(v);
    }
  }
};

// Two random reads of levels a tuple, and little else, take the time; the rest keeps out of their way.
__global__ __launch_bounds__(block_threads) void check_thread_per_tuple(JudgeView judge, std::uint64_t first,
                                                                        const VertexPair* pairs, std::uint64_t count)
{
  std::uint32_t inside = 0;
  device::for_each_item(count, [&](std::uint64_t i) {
    // Read once: they shall not push levels out of the caches.
    Vertex const u = __ldcs(&pairs[i].source);
    Vertex const v = __ldcs(&pairs[i].target);
    if (u == v) return;
    std::int32_t const u_level = judge.levels[u];
    std::int32_t const v_level = judge.levels[v];
    judge.check_arc(u, v, u_level, v_level, first + i);
    if (!judge.directed) judge.check_arc(v, u, v_level, u_level, first + i);
    inside += u_level != unreached && v_level != unreached;
  });
  add_warp(judge.findings->inside, inside);
}

__global__ __launch_bounds__(block_threads) void check_thread_per_vertex(JudgeView judge)
{
  device::for_each_item(judge.tree.size(), [&](std::uint64_t v) {
    std::int32_t const level = judge.levels[v];
    if (level > judge.deepest) offer(judge.findings->too_deep, v);
    if (level > 0 && !judge.marked(static_cast<Vertex>(v))) offer(judge.findings->unmarked, v);
  });
}

class DeviceJudge {
 public:
  DeviceJudge(const DeviceEdges& edges, const EdgeSource& source, const Labels& labels, const TreeView& tree,
              const TreeRules& rules, const device::Stream& stream)
      : edges_(edges),
        source_(source),
        tree_(tree),
        rules_(rules),
        stream_(stream),
        levels_(derive_levels_on_device(tree.labels, tree.root, tree.parents, stream)),
        witness_(
            source, labels, tree.root, [this](Vertex v) { return parent(v); }, [this](Vertex v) { return level(v); })
  {
    verdict_.reached = levels_.reached;
    verdict_.depth = levels_.depth;
  }

  Verdict judge()
  {
    if (levels_.rule_1 != Lowest::none) return broken(verdict_, 1, witness_.not_rooted(levels_.rule_1));
    if (levels_.rule_2 != Lowest::none) return broken(verdict_, 2, witness_.no_parent(levels_.rule_2));
    if (level(tree_.root) == unreached) return broken(verdict_, 4, witness_.root_missing());

    TupleFindings const found = check_edges_and_marks();
    verdict_.nedge = rules_.edges_in(found.inside, source_.facts());
    if (found.too_steep != Lowest::none) return broken(verdict_, 3, witness_.joins_levels(found.too_steep));
    if (found.too_deep != Lowest::none) return broken(verdict_, 4, witness_.too_deep(found.too_deep, rules_.deepest()));
    if (found.leaving != Lowest::none) return broken(verdict_, 4, witness_.leaves_tree(found.leaving));
    if (found.unmarked != Lowest::none) return broken(verdict_, 5, witness_.not_an_edge(found.unmarked));
    return verdict_;
  }

 private:
  std::int32_t level(Vertex v) const { return device::value_at(levels_.levels, v, stream_); }

  Label parent(Vertex v) const
  {
    return tree_.parents.narrow != nullptr ? fetch(tree_.parents.narrow + v) : fetch(tree_.parents.wide + v);
  }

  template <typename T>
  T fetch(const T* from) const
  {
    T value;
    device::copy_to_host(&value, from, sizeof(T), stream_);
    stream_.wait();
    return value;
  }

  TupleFindings check_edges_and_marks() const
  {
    TupleFindings const nothing;
    device::Buffer<TupleFindings> findings = device::make_buffer<TupleFindings>({&nothing, 1}, stream_);
    device::Buffer<MarkWord> marks(mark_words(tree_.size()));
    marks.fill_bytes(0, stream_);
    JudgeView const view{tree_,           levels_.levels.data(), marks.data(),
                         findings.data(), rules_.deepest(),      rules_.directed};
    edges_.for_each_block(stream_, [&](std::uint64_t first, const VertexPair* pairs, std::uint64_t count) {
      device::launch(check_thread_per_tuple, reporting_blocks(count, block_threads), block_threads, stream_, view,
                     first, pairs, count);
    });
    device::launch_over(tree_.size(), check_thread_per_vertex, stream_, view);
    return device::value_at(findings, 0, stream_);
  }

  const DeviceEdges& edges_;
  const EdgeSource& source_;
  TreeView tree_;
  const TreeRules& rules_;
  const device::Stream& stream_;
  TreeLevelsOnDevice levels_;
  Witness witness_;
  Verdict verdict_;
};

}  // namespace

Verdict validate_on_device(const DeviceEdges& edges, const EdgeSource& source, const Labels& labels,
                           device::LabelsOnDevice labels_on_device, Label root, device::ParentsOnDevice parents,
                           const TreeRules& rules, const device::Stream& stream)
{
  Vertex const root_vertex = root_of_request(source, labels, root, parents.size);
  return DeviceJudge(edges, source, labels, {parents, labels_on_device, root_vertex}, rules, stream).judge();
}

std::uint64_t predict_device_validation_bytes(std::uint64_t vertices)
{
  // The ancestors that levels are derived with are gone when the marks come.
  std::uint64_t const with_marks =
      sizeof(TupleFindings) + vertices * sizeof(std::int32_t) + mark_words(vertices) * sizeof(MarkWord);
  return std::max(predict_tree_levels_bytes(vertices), with_marks);
}

}  // namespace brushfire
