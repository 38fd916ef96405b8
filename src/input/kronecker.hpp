// The Graph500 Kronecker graph, bit for bit as the reference generates it. Edge i depends on i alone: it starts
// i * 2^64 outputs into the random sequence. Consecutive edges are computed side by side in vector lanes.
#pragma once

#include "input/edge_source.hpp"
#include "input/graph500_random.hpp"
#include "input/kronecker_lanes.hpp"

#include <cstdint>
#include <string_view>

namespace brushfire {

struct KroneckerSeeds {
  std::uint64_t first = 2;
  std::uint64_t second = 3;
};

// All that an edge is made from besides its index, for whoever computes edges elsewhere.
struct KroneckerRecipe {
  // The reference draws again below this value, so that r % 10000 is exactly uniform.
  static constexpr std::uint32_t redraw_below = 3647;
  static constexpr std::uint32_t quadrant_range = 10000;
  static constexpr std::uint32_t below_b = 1900, below_c = 3800, below_a = 9500;  // B, C, A, D in this order

  int scale;
  std::uint64_t scramble_add;
  std::uint64_t scramble_factors[2];
  Graph500Random seeded;
};

class KroneckerEdges final : public EdgeSource {
 public:
  // Throws Error(memory) when the edges could not even be counted.
  KroneckerEdges(int scale, std::uint64_t edge_factor, KroneckerSeeds seeds = {});
  KroneckerEdges(std::string_view name, int scale, std::uint64_t edge_factor, KroneckerSeeds seeds);
  void read(std::uint64_t first, std::span<Edge> out) const override;

  void read_in_lanes(const KroneckerLanes& kernel, std::uint64_t first, std::span<Edge> out) const;

  Label scramble(std::uint64_t vertex) const { return scramble_(vertex); }  // the permutation of labels
  int scale() const { return scale_; }
  KroneckerRecipe recipe() const
  {
    return {scale_, scramble_.add, {scramble_.factors[0], scramble_.factors[1]}, seeded_};
  }

 private:
  Edge slow_edge(Graph500Random random) const;

  int scale_;
  KroneckerScramble scramble_{};
  Graph500Random seeded_;
  Graph500Random::Matrix to_next_edge_;  // 2^64 outputs ahead
};

// The candidates for search roots in the reference's order, not yet filtered.
class Graph500Roots {
 public:
  Graph500Roots(std::uint64_t vertices, KroneckerSeeds seeds = {});
  Label next();
  // The reference gives up after 2N candidates.
  bool exhausted() const { return counter_ > 2 * vertices_; }

 private:
  std::uint64_t vertices_;
  std::uint64_t counter_ = 0;
  Graph500Random seeded_;
};

}  // namespace brushfire
