// What every pull in a block looks up, made once: nothing here changes while searching.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "traverse/cpu/pull.hpp"

#include <cstdint>

namespace brushfire::cpu {

struct PullIndex {
  // `lists` have a row for each target.
  PullIndex(const SubgraphView& lists, Vertex targets, Team team);

  // Sources are named by their slots.
  PullList asking(const SubgraphView& lists, const Word* frontier) const
  {
    return {lists, frontier, {}, firsts.data(), nullptr, longer.data()};
  }

  Buffer<Vertex> firsts;    // the first source of every list, or no_vertex
  Buffer<Word> searchable;  // targets with a list to look in
  Buffer<Word> longer;      // and with more than its first source
  std::uint64_t count = 0;  // of the searchable
};

// The most that it touches.
constexpr std::uint64_t pull_index_bytes(std::uint64_t targets) { return targets * sizeof(Vertex) + targets / 4; }

}  // namespace brushfire::cpu
