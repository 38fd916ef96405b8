// One pass over all tuples of a source, in parallel, in blocks that stay in a core's cache.
#pragma once

#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/progress.hpp>

#include <vector>

namespace brushfire {

inline constexpr std::uint64_t edges_per_block = 8192;  // 128 KiB of tuples: fits the L2 of any machine we met

// Calls body(first, edges, thread) for consecutive pieces of the tuple list; pieces run in any order.
template <typename Body>
void for_each_edge_block(const EdgeSource& source, Team team, Progress& progress, Body&& body)
{
  std::vector<std::vector<Edge>> blocks(static_cast<std::size_t>(team.threads));
  team.for_blocks(source.facts().edges, edges_per_block, [&](std::uint64_t first, std::uint64_t last, int thread) {
    auto& block = blocks[static_cast<std::size_t>(thread)];
    block.resize(last - first);
    source.read(first, block);
    body(first, std::span<const Edge>(block), thread);
    progress.advance(last - first);
  });
}

}  // namespace brushfire
