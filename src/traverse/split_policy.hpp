// Push or pull on a GPU, for each kind of target and each class of source. Sources are classed by rank (a power of two
// of ranks per class), normal vertices come last; lists name their sources in this order. So a level can be split: the
// waiting vertices pull against the classes below a limit, and stop reading a list where it passes the limit, while
// the frontier above the limit pushes. The weak first pull level of a skewed graph, few hubs and many unvisited, is
// what this is for: hubs are cheap to ask for, the rest is cheap to push.
// Pure and trivially copyable: the device asks it where the counters are born, and a test asks it on the host.
#pragma once

#include <brushfire/types.hpp>

#include <bit>
#include <cstdint>

namespace brushfire {

// Class 0 is rank 0, class c the ranks from 2^(c-1) to 2^c - 1.
inline constexpr unsigned normal_class = 30;
inline constexpr unsigned source_classes = normal_class + 1;

// Classes below the limit are pulled. 0: everything is pushed. source_classes: everything is pulled.
using ClassLimit = unsigned;

constexpr unsigned class_of_rank(Vertex rank) { return static_cast<unsigned>(std::bit_width(rank)); }

// The first slot (delegates by rank, then the normal vertices) that is not pulled.
constexpr std::uint32_t first_slot_not_pulled(ClassLimit limit, Vertex delegates)
{
  if (limit == 0) return 0;
  if (limit > normal_class) return no_vertex;
  std::uint32_t const ranks = std::uint32_t{1} << (limit - 1);
  return ranks < delegates ? ranks : delegates;
}

// What is known about one kind of target before a level.
struct TargetKind {
  float waiting = 0;  // not visited yet
  float words = 0;    // of visited bits that a pull reads whatever it finds
};

// What is known about the sources on one side of a limit: list entries into one kind of target.
struct ClassEntries {
  float in_frontier = 0;
  float unexplored = 0;  // of sources not expanded yet, the frontier included
};

// Picoseconds of a whole H200. Estimated from its rates (streams 4.4 TB/s, gathers 39 to 160 G/s) and from the times of
// levels, and moved one by one while kron graphs of scale 22, 24 and 26 got faster and uniform ones did not get slower;
// docs/performance.md has the rest. In 32 bits: a GPU waits for every answer.
struct SplitPolicy {
  float pushed_entry = 18;      // a gather from the visited bits
  float claimed_vertex = 50;    // found by a push: a claim, and a parent written out of order
  float pull = 2e6;             // a pull at all: the bits are copied, and the next push has to gather its frontier
  float scanned_word = 3;       // 32 visited bits
  float waiting_vertex = 6;     // its first neighbour, and the bit of that
  float unsettled_vertex = 30;  // the line its list is in
  float checked_entry = 6;      // a further entry of a list

  // Pushing so many entries costs less than any pull, which looks at `words` of bits.
  constexpr std::uint64_t most_entries_surely_pushed(std::uint64_t words) const
  {
    return static_cast<std::uint64_t>((pull + scanned_word * static_cast<float>(words)) /
                                      (pushed_entry + claimed_vertex));
  }

  // The cost of pulling the classes below a limit, `below`, and pushing those above it, `above`.
  constexpr float cost(const TargetKind& targets, ClassLimit limit, ClassEntries below, ClassEntries above) const
  {
    float const waiting = targets.waiting > 1 ? targets.waiting : 1;
    float const claims = above.in_frontier < waiting ? above.in_frontier : waiting;
    float const push = pushed_entry * above.in_frontier + claimed_vertex * claims;
    if (limit == 0) return push;
    // A waiting vertex has this many neighbours below the limit, and this share of them is in the frontier.
    float const neighbours = below.unexplored / waiting;
    float const share = below.unexplored > 0 ? below.in_frontier / below.unexplored : 0;
    float const have_one = neighbours / (1 + neighbours);
    float const unsettled = waiting * have_one * (1 - share);
    float const checks = share * neighbours > 1 ? 1 / share : neighbours;
    return push + pull + scanned_word * targets.words + waiting_vertex * waiting + unsettled_vertex * unsettled +
           checked_entry * unsettled * checks;
  }
};

}  // namespace brushfire
