// The vertices of one kind as a search finds them: delegates by rank, or normal vertices by Vertex.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "base/fill.hpp"
#include "traverse/cpu/frontier.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace brushfire::cpu {

struct Side {
  Side(Vertex vertices, const Buffer<Word>& never, Team team)
      : count(vertices),
        never_waiting(never),
        visited(never.size()),
        frontiers{Frontier(vertices, team), Frontier(vertices, team)}
  {
  }

  void start(std::uint64_t searchable, Team team)
  {
    copy_words(never_waiting.span(), visited.data(), team);
    for (Frontier& frontier : frontiers) frontier.clear();
    turn = 0;
    waiting = searchable;
  }

  Frontier& current() { return frontiers[turn]; }
  const Frontier& current() const { return frontiers[turn]; }
  Frontier& next() { return frontiers[1 - turn]; }
  void take_turns()
  {
    current().clear();
    turn = 1 - turn;
  }

  bool reached(std::uint64_t v) const { return test_bit(visited.data(), v) && !test_bit(never_waiting.data(), v); }

  std::uint64_t count;
  const Buffer<Word>& never_waiting;
  Buffer<Word> visited;
  std::array<Frontier, 2> frontiers;  // the current one and the next, taking turns
  std::size_t turn = 0;
  std::uint64_t waiting = 0;  // vertices that could still be discovered
};

}  // namespace brushfire::cpu
