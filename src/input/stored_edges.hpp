// Tuples kept in memory, in pieces, as a parallel reader leaves them. A piece takes 8 bytes per tuple
// when all its labels are below 2^32 and 16 otherwise; pieces of both widths may stand side by side.
#pragma once

#include "input/edge_source.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace brushfire {

class StoredPiece {
 public:
  StoredPiece() = default;
  explicit StoredPiece(std::span<const Edge> edges);

  std::uint64_t size() const { return narrow_.size() + wide_.size(); }
  std::uint64_t bytes() const { return narrow_.size() * sizeof(NarrowEdge) + wide_.size() * sizeof(Edge); }
  void read(std::uint64_t first, std::span<Edge> out) const;

 private:
  struct NarrowEdge {
    std::uint32_t source;
    std::uint32_t target;
  };

  // One of the two is empty. Not Buffers: a piece of a text is smaller than a huge page, and would fill one.
  std::vector<NarrowEdge> narrow_;
  std::vector<Edge> wide_;
};

std::uint64_t tuples_in(std::span<const StoredPiece> pieces);

// How a tuple in memory is listed. `both_ways` is for formats that write half of a symmetric matrix.
enum class Listing { as_stored, both_ways };

class StoredEdges : public EdgeSource {
 public:
  // facts.edges is filled in from the pieces; with both_ways, facts.listed_twice too.
  StoredEdges(EdgeFacts facts, std::vector<StoredPiece> pieces, Listing listing = Listing::as_stored);

  void read(std::uint64_t first, std::span<Edge> out) const override;

 private:
  void read_stored(std::uint64_t first, std::span<Edge> out) const;

  std::vector<StoredPiece> pieces_;
  std::vector<std::uint64_t> starts_;  // number of the first tuple of each piece, and of the one past the last
  Listing listing_;
};

}  // namespace brushfire
