// Pointer jumping. Every vertex keeps one ancestor and its distance, at first the parent at distance 1. In a round each
// vertex climbs a few times: the ancestor of its ancestor becomes its own, and the distances add up. After k rounds a
// chain of (climbs_per_round + 1)^k parents has reached its end: a tree of few levels takes one round, a path of 2^28
// vertices nine, and what has not arrived by then runs in a cycle.
//
// Rounds work in place. An ancestor and its distance are one 64-bit word, read and written at once, and "j is d parents
// above v" stays true whenever it is read; a thread that sees another's newer word only climbs further.
#include "validate/cuda/tree_levels_on_device.hpp"

#include "device/launch.cuh"
#include "validate/cuda/tree_view.cuh"

#include <brushfire/error.hpp>

#include <limits>

namespace brushfire {

namespace {

using device::block_threads;

constexpr int climbs_per_round = 8;  // Kronecker graphs have 7 levels or so

// Ancestors that are no vertex; Labels number at most 2^32-2 of them, from 0.
constexpr Vertex outside = no_vertex;      // has no parent
constexpr Vertex severed = no_vertex - 1;  // the chain of parents ends outside the tree

struct alignas(8) Ancestor {
  Vertex vertex;
  std::uint32_t distance;  // goes wrong in a cycle only, where nobody asks for it
};

struct TreeFindings {
  std::uint64_t rule_1 = Lowest::none;
  std::uint64_t rule_2 = Lowest::none;
  std::uint64_t reached = 0;
  std::uint32_t depth = 0;
  std::uint32_t rounds_due = 0;  // the next round, when it is needed
};

__device__ bool settled(Vertex ancestor, Vertex root) { return ancestor >= severed || ancestor == root; }

// Ends a kernel; called by whole warps. All that ask for a round ask for the same.
__device__ void ask_for_round(bool unsettled, std::uint32_t round, TreeFindings& findings)
{
  auto const warp = this_warp();
  if (warp.any(unsettled) && warp.thread_rank() == 0)
    atomically(findings.rounds_due).store(round, cuda::memory_order_relaxed);
}

// What a vertex's own parent value says. A parent that is given out has a parent itself.
__device__ Ancestor first_ancestor(const TreeView& tree, Vertex v, TreeFindings& findings)
{
  Label const parent = tree.parent(v);
  if (parent == no_label) return {outside, 0};
  if (v == tree.root) {
    if (parent != tree.label(v)) offer(findings.rule_1, v);
    return {v, 0};
  }
  Vertex const above = tree.find(parent);
  if (above == no_vertex || tree.parent(above) == no_label) {
    offer(findings.rule_2, v);
    return {severed, 0};
  }
  return {above, 1};
}

__global__ __launch_bounds__(block_threads) void start_thread_per_vertex(TreeView tree, Ancestor* ancestors,
                                                                         TreeFindings* findings)
{
  bool unsettled = false;
  device::for_each_item(tree.size(), [&](std::uint64_t v) {
    Ancestor const ancestor = first_ancestor(tree, static_cast<Vertex>(v), *findings);
    ancestors[v] = ancestor;
    unsettled |= !settled(ancestor.vertex, tree.root);
  });
  ask_for_round(unsettled, 1, *findings);
}

__global__ __launch_bounds__(block_threads) void climb_thread_per_vertex(std::uint32_t round, std::uint64_t vertices,
                                                                         Vertex root, Ancestor* ancestors,
                                                                         TreeFindings* findings)
{
  // The same answer for all threads: this round's asking for the next one only raises it.
  if (atomically(findings->rounds_due).load(cuda::memory_order_relaxed) < round) return;
  bool unsettled = false;
  device::for_each_item(vertices, [&](std::uint64_t v) {
    Ancestor highest = atomically(ancestors[v]).load(cuda::memory_order_relaxed);
    if (settled(highest.vertex, root)) return;
    for (int climb = 0; climb < climbs_per_round && !settled(highest.vertex, root); ++climb) {
      Ancestor const next = atomically(ancestors[highest.vertex]).load(cuda::memory_order_relaxed);
      highest = {next.vertex, highest.distance + next.distance};
    }
    atomically(ancestors[v]).store(highest, cuda::memory_order_relaxed);
    unsettled |= !settled(highest.vertex, root);
  });
  ask_for_round(unsettled, round + 1, *findings);
}

__global__ __launch_bounds__(block_threads) void settle_thread_per_vertex(std::uint64_t vertices, Vertex root,
                                                                          const Ancestor* ancestors,
                                                                          std::int32_t* levels, TreeFindings* findings)
{
  std::uint64_t reached = 0;
  std::uint32_t depth = 0;
  device::for_each_item(vertices, [&](std::uint64_t v) {
    Ancestor const ancestor = ancestors[v];
    bool const in_tree = ancestor.vertex == root;
    levels[v] = in_tree ? static_cast<std::int32_t>(ancestor.distance) : unreached;
    reached += ancestor.vertex != outside;
    if (in_tree) depth = max(depth, ancestor.distance);
    if (!settled(ancestor.vertex, root)) offer(findings->rule_1, v);
  });
  add_warp(findings->reached, reached);
  raise_warp(findings->depth, depth);
}

}  // namespace

TreeLevelsOnDevice derive_levels_on_device(device::LabelsOnDevice labels, Vertex root, device::ParentsOnDevice parents,
                                           const device::Stream& stream)
{
  TreeView const tree{parents, labels, root};
  std::uint64_t const vertices = parents.size;
  unsigned const blocks = reporting_blocks(vertices, block_threads);
  TreeFindings const nothing;
  device::Buffer<TreeFindings> findings = device::make_buffer<TreeFindings>({&nothing, 1}, stream);
  device::Buffer<std::int32_t> levels(vertices);
  device::Buffer<Ancestor> ancestors(vertices);

  device::launch(start_thread_per_vertex, blocks, block_threads, stream, tree, ancestors.data(), findings.data());
  // All rounds that any tree of this size takes; those that this one does not need return at once.
  std::uint32_t round = 1;
  for (std::uint64_t climbed = 1; climbed < vertices; climbed *= climbs_per_round + 1, ++round)
    device::launch(climb_thread_per_vertex, blocks, block_threads, stream, round, vertices, root, ancestors.data(),
                   findings.data());
  device::launch(settle_thread_per_vertex, blocks, block_threads, stream, vertices, root, ancestors.data(),
                 levels.data(), findings.data());

  TreeFindings const found = device::value_at(findings, 0, stream);
  if (found.depth > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
    throw Error(ErrorKind::failure, "the tree is deeper than 2^31-1 levels, more than a level can hold");
  return {std::move(levels), found.reached, found.depth, found.rule_1, found.rule_2};
}

std::uint64_t predict_tree_levels_bytes(std::uint64_t vertices)
{
  return sizeof(TreeFindings) + vertices * (sizeof(std::int32_t) + sizeof(Ancestor));
}

}  // namespace brushfire
