// How many list entries the frontier has, and those not visited yet, by subgraph: what directions are chosen by.
#pragma once

#include <brushfire/trace.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace brushfire::cpu {

using EntryCounts = std::array<std::uint64_t, subgraph_count>;  // indexed by Subgraph

class EntryAccount {
 public:
  void start(const EntryCounts& all)
  {
    all_ = unexplored_ = all;
    frontier_ = found_ = {};
  }
  void start_with(Subgraph kind, std::uint64_t entries)
  {
    frontier_[index_of(kind)] = entries;
    explore(index_of(kind), entries);
  }

  // What was found has `counted` entries of this kind, and those of `uncounted` vertices of `waiting` beside. Any may
  // have one where there is such a list at all: what is thought to have no entries is not visited.
  void add_found(Subgraph kind, std::uint64_t counted, std::uint64_t uncounted, std::uint64_t waiting)
  {
    std::size_t const i = index_of(kind);
    if (all_[i] == 0) return;
    std::uint64_t expected = 0;
    if (uncounted != 0) {
      double const mean = static_cast<double>(unexplored_[i]) / static_cast<double>(waiting);
      expected = std::max<std::uint64_t>(static_cast<std::uint64_t>(mean * static_cast<double>(uncounted)), 1);
    }
    found_[i] += counted + expected;
    explore(i, counted + expected);
  }

  // What was found is the frontier now.
  void next_level()
  {
    frontier_ = found_;
    found_ = {};
  }

  std::uint64_t all(Subgraph kind) const { return all_[index_of(kind)]; }
  std::uint64_t unexplored(Subgraph kind) const { return unexplored_[index_of(kind)]; }  // about
  std::uint64_t in_frontier(Subgraph kind) const { return frontier_[index_of(kind)]; }   // 0 only where it has none

 private:
  void explore(std::size_t i, std::uint64_t entries) { unexplored_[i] -= std::min(unexplored_[i], entries); }

  EntryCounts all_{}, unexplored_{}, frontier_{}, found_{};
};

}  // namespace brushfire::cpu
