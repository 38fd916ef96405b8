// When the adaptive preset pushes or pulls, and how it makes its queues: the rules of XBFS, section 4.3 and figure 7.
// Scan-free at both ends of a search, single-scan in the level before bottom-up, double-scan in bottom-up, none in
// the level after it. A choice of the caller's goes first.
#pragma once

#include <brushfire/trace.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace brushfire {

// The choices of the caller; nothing: by the rules of the paper.
struct AdaptiveOptions {
  std::optional<FrontierQueue> queue;
  std::optional<PullBalance> balance;
  bool async_pull = true;
};

// What is known before a level.
struct AdaptiveLevel {
  std::uint64_t entries = 0;         // of the frontier's lists: edgeCheck of the paper
  std::uint64_t former_entries = 0;  // of the frontier before; 0 at the root
  bool after_pull = false;           // so the frontier has no queue of its own
};

struct AdaptivePolicy {
  static constexpr double pull_share = 0.1;  // alpha

  std::optional<Direction> direction;
  std::optional<FrontierQueue> queue;
  std::uint64_t all_entries = 0;

  // The same condition for the switch to bottom-up and back.
  Direction choose_direction(const AdaptiveLevel& level) const
  {
    if (direction) return *direction;
    if (queue == FrontierQueue::none) return Direction::pull;
    return is_much(static_cast<double>(level.entries)) ? Direction::pull : Direction::push;
  }

  // A pull draws its queue by double-scan, or asks every vertex where no queue is wanted. lambda, the growth of the
  // frontier's entries, foretells the level before bottom-up; where only pushes are wanted, every big level counts
  // as that one.
  FrontierQueue choose_queue(Direction chosen, const AdaptiveLevel& level) const
  {
    bool const no_queue = queue == FrontierQueue::none;
    if (chosen == Direction::pull) return no_queue ? FrontierQueue::none : FrontierQueue::double_scan;
    if (queue) return *queue;
    if (level.after_pull) return FrontierQueue::none;
    auto const entries = static_cast<double>(level.entries);
    double const lambda = level.former_entries > 0 ? entries / static_cast<double>(level.former_entries) : 1.0;
    return is_much(entries * std::max(lambda, 1.0)) ? FrontierQueue::single_scan : FrontierQueue::scan_free;
  }

 private:
  bool is_much(double entries) const { return entries > 0 && entries >= pull_share * static_cast<double>(all_entries); }
};

}  // namespace brushfire
