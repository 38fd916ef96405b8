// Push or pull, decided for each subgraph by itself from what the frontier would push and what a pull would check.
// Trivially copyable and pure, so that a device can ask it where the counters are born.
#pragma once

#include "traverse/adaptive_policy.hpp"

#include <brushfire/trace.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace brushfire {

// What is known about one subgraph (sources -> targets) before a level.
struct SubgraphWork {
  std::uint64_t frontier_entries = 0;    // list entries of the frontier: what a push looks at
  std::uint64_t unexplored_entries = 0;  // list entries of sources not visited yet
  std::uint64_t waiting = 0;             // targets not visited yet
  double mean_list = 0;                  // entries a waiting target has to look through at most, on average
  std::uint64_t scanned_words = 0;       // words of visited bits a pull reads whatever it finds
  // Another subgraph's pull visits the same targets in this level anyway, and will leave about this share of them.
  std::optional<double> left_by_other_pull;
  std::uint64_t frontier = 0;  // sources in the frontier
  std::uint64_t unvisited_sources = 0;
  std::uint64_t all_entries = 0;  // list entries of all sources
};

struct DirectionPolicy {
  std::optional<Direction> forced;
  // A pushed entry is a random access to the visited bits and often a claimed word; a pulled one is the next of a
  // run, tested against bits in a near cache. Measured on Zen 4, 2 threads, kron scale 20 to 22.
  double cost_of_pushed_entry = 1.0;
  double cost_of_pulled_check = 0.15;
  double cost_of_waiting_target = 0.2;
  double cost_of_scanned_word = 0.2;
  // The rule of Pan, Pearce and Owens instead, with their factors for the subgraphs dd, dn, nd; nn is never pulled.
  bool as_published = false;
  std::array<double, subgraph_count> published_factors{0.5, 0.05, 1e-7, std::numeric_limits<double>::infinity()};

  // The rule of the adaptive preset instead, of each subgraph's own entries.
  bool adaptive = false;

  // `before` is the direction of the level before.
  Direction choose(Subgraph kind, const SubgraphWork& work, Direction before) const
  {
    if (forced) return *forced;
    if (adaptive) return AdaptivePolicy{{}, {}, work.all_entries}.choose_direction({work.frontier_entries, 0, false});
    if (as_published) return choose_as_published(kind, work, before);
    double const push = cost_of_pushed_entry * static_cast<double>(work.frontier_entries);
    return push > pull_cost(work) ? Direction::pull : Direction::push;
  }

  // Section IV.B: forward work FV against backward work BV = |U| (q + s) / q. Having turned to pulling, their graphs
  // never turned back.
  Direction choose_as_published(Subgraph kind, const SubgraphWork& work, Direction before) const
  {
    if (before == Direction::pull || work.frontier == 0) return before;
    double const backward = static_cast<double>(work.waiting) *
                            static_cast<double>(work.frontier + work.unvisited_sources) /
                            static_cast<double>(work.frontier);
    bool const turn = static_cast<double>(work.frontier_entries) > published_factors[index_of(kind)] * backward;
    return turn ? Direction::pull : Direction::push;
  }

  // Pan, Pearce and Owens (section IV.B) expect 1/a checks for a waiting target when a share a of its possible parents
  // is in the frontier. Parents are met in proportion to their edges, so the share is one of entries, not of vertices.
  double pull_cost(const SubgraphWork& work) const
  {
    if (work.left_by_other_pull)
      return cost_of_pulled_check * work.mean_list * static_cast<double>(work.waiting) * *work.left_by_other_pull;
    double const share = share_in_frontier(work);
    double const checks = share > 0 ? std::min(1 / share, std::max(work.mean_list, 1.0)) : work.mean_list;
    return static_cast<double>(work.waiting) * (cost_of_waiting_target + cost_of_pulled_check * checks) +
           cost_of_scanned_word * static_cast<double>(work.scanned_words);
  }

  // The share of the waiting targets that a pull finds no parent for, if each has one entry, as most have.
  static double left_by_pull(const SubgraphWork& work) { return 1 - share_in_frontier(work); }

 private:
  static double share_in_frontier(const SubgraphWork& work)
  {
    double const possible = static_cast<double>(work.frontier_entries + work.unexplored_entries);
    return possible > 0 ? static_cast<double>(work.frontier_entries) / possible : 0;
  }
};

}  // namespace brushfire
