// Where a search is, and what its trace says of every level.
#pragma once

#include "base/clock.hpp"
#include "traverse/stepper.hpp"

#include <brushfire/trace.hpp>

#include <cstdint>
#include <utility>

namespace brushfire::cpu {

struct LevelLog {
  void start(const Limits& of_search, std::uint64_t roots_here)
  {
    *this = {};
    limits = of_search;
    reached = frontier = roots_here;
  }

  void begin(const Directions& directions)
  {
    level = next_level++;
    record = {};
    record.level = level;
    record.directions = directions;
    record.frontier = std::exchange(frontier, 0);
  }

  // When `frontier` has all that the level found.
  void end(Trace& trace)
  {
    reached += frontier;
    if (frontier > 0) depth = next_level;
    record.discovered = frontier;
    trace.add(record);
  }

  bool at_last_level() const { return limits.max_depth && next_level >= *limits.max_depth; }
  LevelCounters counters(bool target_reached) const { return {frontier, at_last_level() || target_reached ? 1u : 0u}; }

  Limits limits;
  std::int64_t level = 0;       // of the current frontier
  std::int64_t next_level = 0;  // of the frontier to come
  std::int64_t depth = 0;       // of the deepest vertex found here
  std::uint64_t frontier = 0;   // vertices of the frontier to come that live here
  std::uint64_t reached = 0;
  LevelRecord record;
  Stopwatch watch;  // of the level
};

}  // namespace brushfire::cpu
