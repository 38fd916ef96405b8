// Passes over the tuples of all devices, in steps that all of them make together: what one has read is sent on before
// it reads more.
#pragma once

#include "base/parallel.hpp"
#include "build/degrees.hpp"
#include "exchange/exchange.hpp"
#include "exchange/sum_over_devices.hpp"
#include "input/dealt_labels.hpp"
#include "input/tuple_share.hpp"

#include <brushfire/progress.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace brushfire {

inline constexpr std::uint64_t tuples_per_step = 1 << 17;  // of each device; a few MiB on their way at a time

// The number of steps is that of the device with the largest share, so that all make the same calls. `body` gets the
// tuples of a step.
template <typename Body>
void for_each_step(const TupleShare& tuples, Exchange& exchange, Team team, Progress& progress, const char* stage,
                   Body&& body)
{
  std::uint64_t left = tuples.size();
  std::uint64_t left_of_all = sum_over_devices(exchange, left);
  progress.begin(stage, left_of_all, "edges");
  std::uint64_t first = tuples.first;
  std::vector<Edge> edges;
  while (left_of_all > 0) {
    std::uint64_t const count = std::min(left, tuples_per_step);
    edges.resize(count);
    team.for_blocks(count, 1 << 12, [&](std::uint64_t from, std::uint64_t to, int) {
      tuples.source.read(first + from, std::span(edges).subspan(from, to - from));
    });
    body(std::span<const Edge>(edges));
    first += count;
    left -= count;
    std::uint64_t const before = std::exchange(left_of_all, sum_over_devices(exchange, left));
    progress.advance(before - left_of_all);
  }
  progress.end();
}

struct CountedEnds {
  bool incoming = false;  // apart from those that go out
  bool both = false;      // a tuple counts at both of its ends
};
inline bool counts_at_both_ends(const TupleShare& tuples, bool directed)
{
  return !directed && !tuples.source.facts().listed_twice;
}
OwnDegrees count_own_degrees(const TupleShare& tuples, const DealtLabels& labels, CountedEnds counted,
                             Exchange& exchange, Team team, Progress& progress);

}  // namespace brushfire
