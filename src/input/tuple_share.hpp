// The tuples that one of several devices reads.
#pragma once

#include "input/edge_source.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace brushfire {

// first ... last-1 of a source. The shares of all devices are the whole list, each tuple once.
struct TupleShare {
  const EdgeSource& source;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  // Tuples of the whole list in front of the source's own: 0 where it holds, or computes, all of them.
  std::uint64_t in_front = 0;

  std::uint64_t size() const { return last - first; }
};

// Share number `share` of the tuples of a source, which are dealt out in `shares` runs of nearly equal length.
inline TupleShare share_of(const EdgeSource& source, int share, int shares, std::uint64_t in_front = 0)
{
  auto const count = static_cast<std::uint64_t>(shares);
  auto const whole = source.facts().edges / count, rest = source.facts().edges % count;
  auto const bound = [&](int index) {
    auto const position = static_cast<std::uint64_t>(index);
    return whole * position + std::min(rest, position);
  };
  return {source, bound(share), bound(share + 1), in_front};
}

// The same as a source of its own: what one rank of several has of a list that anybody can compute or map.
class TuplesOfRank final : public EdgeSource {
 public:
  TuplesOfRank(std::shared_ptr<const EdgeSource> whole, int rank, int ranks)
      : EdgeSource(whole->facts()), whole_(std::move(whole))
  {
    TupleShare const own = share_of(*whole_, rank, ranks);
    first_ = own.first;
    facts_.edges = own.size();
  }
  void read(std::uint64_t first, std::span<Edge> out) const override { whole_->read(first_ + first, out); }
  const EdgeSource& whole() const { return *whole_; }
  std::uint64_t first() const { return first_; }  // of the whole

 private:
  std::shared_ptr<const EdgeSource> whole_;
  std::uint64_t first_ = 0;
};

// The same tuples as a share of the source that computes or maps them all, where there is one behind `share`.
inline TupleShare share_of_whole(const TupleShare& share)
{
  auto const* const of_rank = dynamic_cast<const TuplesOfRank*>(&share.source);
  if (of_rank == nullptr) return share;
  return {of_rank->whole(), share.first + of_rank->first(), share.last + of_rank->first(), 0};
}

}  // namespace brushfire
