// The one layout every search runs on: a degree-separated graph.
//
// Vertices of degree > threshold are delegates, numbered 0 ... d-1 by falling degree (their rank); the rest are normal
// and keep their Vertex. A delegate's row lists its delegate neighbours by rank, then its normal ones by Vertex;
// a normal vertex's row likewise. So one array of entries holds four graphs, dd, dn, nd, nn, each a run at a known
// place of each row, and every list starts with its highest-degree neighbours. Without delegates it is a plain CSR.
//
// Rows stand as: d delegate rows by rank, then n rows by Vertex (empty for a delegate's Vertex). Row starts are the
// low 32 bits of the position; a 64-bit base per 64 rows restores the rest.
#pragma once

#include "base/buffer.hpp"

#include <brushfire/trace.hpp>
#include <brushfire/types.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace brushfire {

inline constexpr std::uint64_t rows_per_base = 64;

struct EntryRange {
  EdgeIndex first, last;
  EdgeIndex size() const { return last - first; }
};

// One of the four subgraphs, as a kernel sees it. Whatever the arrays hold, even those of an altered file, rows
// stay inside the entries and targets below a power of two; owners of per-vertex arrays allocate that much.
struct SubgraphView {
  const std::uint32_t* starts;  // low bits, per row
  const std::uint32_t* ends;
  const std::uint64_t* bases;
  const Vertex* targets;
  std::uint64_t first_row;  // of this subgraph among all rows: which base is whose
  EdgeIndex entries;        // of the whole target array
  Vertex target_mask;

  EntryRange row(Vertex row) const
  {
    EdgeIndex const first = std::min(start(row), entries);
    return {first, std::min(first + length(row), entries)};
  }
  EdgeIndex start(Vertex row) const
  {
    // Where 32 bits count all entries the base is not read: a cache line less for a row.
    if (entries <= std::numeric_limits<std::uint32_t>::max()) return starts[row];
    std::uint64_t const base = bases[(first_row + row) / rows_per_base];
    return base + (starts[row] - static_cast<std::uint32_t>(base));
  }
  std::uint32_t length(Vertex row) const { return ends[row] - starts[row]; }
  // Always inline: a call that does nothing but fetch counts as one without effect, and may be dropped.
  [[gnu::always_inline]] void prefetch_row(Vertex row) const
  {
    __builtin_prefetch(starts + row);
    __builtin_prefetch(ends + row);
  }
  [[gnu::always_inline]] void prefetch_targets(Vertex row) const { __builtin_prefetch(targets + start(row)); }
  Vertex target(EdgeIndex entry) const { return targets[entry] & target_mask; }
};

// The subgraph of the same edges seen from their targets.
constexpr Subgraph reversed(Subgraph kind)
{
  return kind == Subgraph::dn ? Subgraph::nd : kind == Subgraph::nd ? Subgraph::dn : kind;
}

// How many elements an array needs that is indexed by targets of `count` vertices.
constexpr std::uint64_t capacity_for(std::uint64_t count) { return std::bit_ceil(std::max<std::uint64_t>(count, 1)); }

// The rows of one direction: out-neighbours, or in-neighbours of a directed graph.
struct Adjacency {
  Section<std::uint32_t> starts;  // d + n + 1
  Section<std::uint32_t> splits;  // d + n: where the normal neighbours start; none without delegates, d in a part
  Section<std::uint64_t> bases;   // one per rows_per_base rows
  Section<Vertex> targets;

  SubgraphView view(Subgraph kind, Vertex delegates, Vertex vertices) const;
  std::uint64_t bytes() const { return starts.bytes() + splits.bytes() + bases.bytes() + targets.bytes(); }
};

struct Layout {
  Vertex vertices = 0;
  Vertex delegates = 0;
  std::uint64_t threshold = 0;
  bool directed = false;
  Section<Vertex> delegate_vertices;  // rank -> Vertex; no_vertex in a part where that is another device's
  Section<std::uint32_t>
      input_degrees;  // tuples at each Vertex, duplicates counted, self-loops not; out-going if directed
  Adjacency out;
  Adjacency in;  // the same sections as `out` when undirected

  // A delegate's Vertex; inside the graph whatever an altered file says.
  Vertex home(Vertex rank) const { return std::min(delegate_vertices[std::min(rank, delegates - 1)], vertices - 1); }
  bool is_home(Vertex rank) const { return delegate_vertices[rank] != no_vertex; }
  SubgraphView pushed(Subgraph kind) const { return out.view(kind, delegates, vertices); }
  // The rows of the targets of `kind`, which list its sources: what a pull over `kind` reads.
  SubgraphView pulled(Subgraph kind) const;
  std::uint64_t entries() const { return out.targets.size(); }
  std::uint64_t entries(Subgraph kind) const;
  std::uint64_t bytes() const;
};

}  // namespace brushfire
