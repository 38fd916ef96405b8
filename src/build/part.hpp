// One device's part of a graph that many devices search together (Pan, Pearce and Owens, section III). Vertices are
// dealt out one by one; delegates are known to every device. An edge lies with its normal end, one between delegates
// with the end of lower degree, so the dd, dn and nd edges of a part join what the device has: they are an ordinary
// Layout, symmetric as the graph is. Only edges between normal vertices lead elsewhere; their lists are kept apart and
// name the device with each target.
#pragma once

#include "base/buffer.hpp"
#include "build/layout.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

namespace brushfire {

// A vertex of any device in 64 bits: the device above, its number there below. They rise by device, then by number.
using FarVertex = std::uint64_t;
constexpr FarVertex far_vertex(int device, Vertex number) { return static_cast<std::uint64_t>(device) << 32 | number; }
constexpr int device_of(FarVertex vertex) { return static_cast<int>(vertex >> 32); }
constexpr Vertex number_of(FarVertex vertex) { return static_cast<Vertex>(vertex); }

// A list entry on its way to the device that keeps it. Rows and targets are slots there: a rank, or all delegates and
// the number of a normal vertex.
struct NearEntry {
  Vertex row, target;
};
// Between normal vertices: numbers, the target on `device`.
struct FarEntry {
  Vertex row, target;
  std::uint32_t device;
};

// Normal neighbours of the normal vertices of a part, of one direction.
struct FarRows {
  Buffer<std::uint32_t> starts;  // one per vertex and one more; low bits
  Buffer<std::uint64_t> bases;   // one per rows_per_base rows
  Buffer<FarVertex> targets;

  std::span<const FarVertex> row(Vertex v) const { return targets.span().subspan(start(v), length(v)); }
  EdgeIndex start(Vertex v) const
  {
    std::uint64_t const base = bases[v / rows_per_base];
    return base + (starts[v] - static_cast<std::uint32_t>(base));
  }
  [[gnu::always_inline]] void prefetch_row(Vertex v) const { __builtin_prefetch(starts.data() + v); }
  [[gnu::always_inline]] void prefetch_targets(Vertex v) const { __builtin_prefetch(targets.data() + start(v)); }
  std::uint32_t length(Vertex v) const { return starts[v + 1] - starts[v]; }
  std::uint64_t bytes() const { return starts.bytes() + bases.bytes() + targets.bytes(); }
};

// What Algorithm 1 asks of a delegate, and who keeps an edge between two: the one of lower degree, and of equal ones
// the one of lower rank. So both directions of it are on one device.
struct DelegateHome {
  std::uint32_t device, degree;
};
constexpr std::uint32_t keeper_of(DelegateHome of_lower_rank, DelegateHome of_higher_rank)
{
  return of_higher_rank.degree < of_lower_rank.degree ? of_higher_rank.device : of_lower_rank.device;
}

// The delegates of the whole graph, by rank, and the way back from a vertex to its rank: a bit for every index, how
// many are set before every 32 of them, and the ranks in the order of the bits. A normal vertex is told by one look.
class Delegates {
 public:
  struct Member {
    std::uint64_t index;   // among all vertices of the graph
    std::uint64_t degree;  // tuples
    FarVertex home;
    Label label;

    DelegateHome home_for_edges() const
    {
      constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();  // beyond, all are as good
      return {static_cast<std::uint32_t>(device_of(home)), static_cast<std::uint32_t>(std::min(degree, most))};
    }
  };

  Delegates() = default;
  explicit Delegates(Buffer<Member> by_rank);

  Vertex size() const { return static_cast<Vertex>(members_.size()); }
  const Member& operator[](Vertex rank) const { return members_[rank]; }
  void name(Vertex rank, Label label) { members_[rank].label = label; }
  std::optional<Vertex> rank_of(std::uint64_t index) const
  {
    const Ranked* const found = find(index);
    return found == nullptr ? std::nullopt : std::optional(found->rank);
  }
  struct Ranked {
    Vertex rank;
    std::uint32_t degree;  // as DelegateHome has it
  };
  // Where it stands, which may be far from any cache; nothing for a normal vertex.
  const Ranked* find(std::uint64_t index) const
  {
    if (index / 32 >= words_.size()) return nullptr;
    Word const word = words_[index / 32];
    std::uint32_t const bit = 1u << index % 32;
    if ((word.bits & bit) == 0) return nullptr;
    return &ranked_[word.before + static_cast<std::uint32_t>(std::popcount(word.bits & (bit - 1)))];
  }
  std::uint64_t bytes() const { return members_.bytes() + words_.bytes() + ranked_.bytes(); }

 private:
  struct Word {
    std::uint32_t bits, before;
  };

  Buffer<Member> members_;
  Buffer<Word> words_;
  Buffer<Ranked> ranked_;
};

struct Part {
  Layout layout;  // of the own vertices and all delegates; its nn is empty
  FarRows out;
  FarRows in;  // of a directed graph; else `out` serves both
  Delegates delegates;
  int devices = 1;
  int device = 0;

  const FarRows& incoming() const { return layout.directed ? in : out; }
  std::uint64_t bytes() const { return layout.bytes() + out.bytes() + in.bytes() + delegates.bytes(); }
  // What Table I of the paper counts: row offsets and targets of the four subgraphs.
  std::uint64_t subgraph_bytes() const
  {
    return layout.out.bytes() + out.bytes() + (layout.directed ? layout.in.bytes() + in.bytes() : 0);
  }
};

}  // namespace brushfire
