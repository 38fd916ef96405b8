// A pass over the tuples of all devices, in steps that all of them make together: what one reads is sent on before
// it reads more.
#pragma once

#include "base/parallel.hpp"
#include "exchange/exchange.hpp"
#include "exchange/sum_over_devices.hpp"
#include "input/tuple_share.hpp"

#include <brushfire/progress.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace brushfire {

inline constexpr std::uint64_t tuples_per_step = 1 << 17;  // of each device; a few MiB on their way at a time

// The number of steps is that of the device with the largest share, so that all make the same calls. `body` gets the
// tuples of a step.
template <typename Body>
void for_each_step(const TupleShare& tuples, Exchange& exchange, Team team, Progress& progress, const char* stage,
                   Body&& body)
{
  progress.begin(stage, tuples.size(), "edges");
  std::uint64_t left = tuples.size();
  std::uint64_t first = tuples.first;
  std::vector<Edge> edges;
  while (sum_over_devices(exchange, left) > 0) {
    std::uint64_t const count = std::min(left, tuples_per_step);
    edges.resize(count);
    team.for_blocks(count, 1 << 12, [&](std::uint64_t from, std::uint64_t to, int) {
      tuples.source.read(first + from, std::span(edges).subspan(from, to - from));
    });
    body(std::span<const Edge>(edges));
    first += count;
    left -= count;
    progress.advance(count);
  }
  progress.end();
}

}  // namespace brushfire
