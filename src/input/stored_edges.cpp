#include "input/stored_edges.hpp"

#include <algorithm>
#include <utility>

namespace brushfire {

StoredPiece::StoredPiece(std::span<const Edge> edges)
{
  Label bits = 0;  // set in any label
  for (Edge const& edge : edges) bits |= edge.source | edge.target;
  if ((bits >> 32) != 0) {
    wide_.assign(edges.begin(), edges.end());
    return;
  }
  narrow_.resize(edges.size());
  std::transform(edges.begin(), edges.end(), narrow_.data(), [](Edge const& edge) {
    return NarrowEdge{static_cast<std::uint32_t>(edge.source), static_cast<std::uint32_t>(edge.target)};
  });
}

void StoredPiece::read(std::uint64_t first, std::span<Edge> out) const
{
  if (wide_.size() > 0) {
    std::copy_n(wide_.data() + first, out.size(), out.data());
    return;
  }
  std::transform(narrow_.data() + first, narrow_.data() + first + out.size(), out.data(), [](NarrowEdge const& edge) {
    return Edge{static_cast<Label>(edge.source), static_cast<Label>(edge.target)};
  });
}

std::uint64_t tuples_in(std::span<const StoredPiece> pieces)
{
  std::uint64_t tuples = 0;
  for (StoredPiece const& piece : pieces) tuples += piece.size();
  return tuples;
}

StoredEdges::StoredEdges(EdgeFacts facts, std::vector<StoredPiece> pieces, Listing listing)
    : EdgeSource(std::move(facts)), pieces_(std::move(pieces)), listing_(listing)
{
  starts_.push_back(0);
  for (StoredPiece const& piece : pieces_) starts_.push_back(starts_.back() + piece.size());
  facts_.edges = starts_.back();
  for (StoredPiece const& piece : pieces_) facts_.bytes_held += piece.bytes();
  if (listing_ == Listing::both_ways) {
    facts_.edges *= 2;
    facts_.listed_twice = true;
  }
}

void StoredEdges::read(std::uint64_t first, std::span<Edge> out) const
{
  if (listing_ == Listing::as_stored) {
    read_stored(first, out);
    return;
  }
  // Tuple 2i is the stored one, tuple 2i+1 the same the other way.
  std::uint64_t const first_stored = first / 2;
  std::vector<Edge> stored((first + out.size() + 1) / 2 - first_stored);
  read_stored(first_stored, stored);
  for (std::size_t at = 0; at < out.size(); ++at) {
    Edge const& edge = stored[(first + at) / 2 - first_stored];
    out[at] = (first + at) % 2 == 0 ? edge : Edge{edge.target, edge.source};
  }
}

void StoredEdges::read_stored(std::uint64_t first, std::span<Edge> out) const
{
  auto piece = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), first) - starts_.begin()) - 1;
  while (!out.empty()) {
    std::uint64_t const count = std::min<std::uint64_t>(out.size(), starts_[piece + 1] - first);
    pieces_[piece].read(first - starts_[piece], out.first(count));
    out = out.subspan(count);
    first += count;
    ++piece;
  }
}

}  // namespace brushfire
