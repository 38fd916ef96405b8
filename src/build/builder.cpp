#include "build/builder.hpp"

#include "base/error.hpp"
#include "base/saturating.hpp"
#include "build/degrees.hpp"
#include "build/rows.hpp"
#include "input/edge_blocks.hpp"

#include <brushfire/graph.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace brushfire {

namespace {

// A vertex's number while rows are built, and the number of its row: its rank if it is a delegate, else
// delegates + Vertex. Sorting by slot puts delegates first, by rank, then normal vertices by Vertex.
struct Slots {
  Vertex delegates = 0;
  Buffer<Vertex> delegate_vertices;
  Buffer<Vertex> slot_of;

  std::uint64_t rows() const { return std::uint64_t{delegates} + slot_of.size(); }
};

Slots assign_slots(const Degrees& degrees, Vertex vertices, std::uint64_t threshold, Team team)
{
  std::vector<Vertex> ranked;
  for (Vertex v = 0; v < vertices; ++v)
    if (degrees.total(v) > threshold) ranked.push_back(v);
  std::sort(ranked.begin(), ranked.end(), [&](Vertex a, Vertex b) {
    return degrees.total(a) != degrees.total(b) ? degrees.total(a) > degrees.total(b) : a < b;
  });
  Slots slots;
  if (ranked.size() + vertices > std::numeric_limits<Vertex>::max() - 1)
    fail(ErrorKind::memory, "{} vertices are more than one device can number; use more devices", vertices);
  slots.delegates = static_cast<Vertex>(ranked.size());
  slots.delegate_vertices = Buffer<Vertex>(ranked.size());
  slots.slot_of = Buffer<Vertex>(vertices);
  team.for_blocks(vertices, 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) slots.slot_of[v] = slots.delegates + static_cast<Vertex>(v);
  });
  for (Vertex rank = 0; rank < slots.delegates; ++rank) {
    slots.delegate_vertices[rank] = ranked[rank];
    slots.slot_of[ranked[rank]] = rank;
  }
  return slots;
}

enum class RowsHold { both_ends, targets, sources };  // what a tuple (u,v) adds: v to u and u to v; v to u; u to v

// Entries of every row, duplicates included, from the number of tuples at each vertex; a delegate's row is at its rank,
// the row of its own Vertex empty.
Buffer<std::uint32_t> row_counts(const Buffer<std::uint32_t>& tuples, const Slots& slots, Team team)
{
  Buffer<std::uint32_t> counts(slots.rows());
  team.for_blocks(slots.slot_of.size(), 1 << 16, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t v = first; v < last; ++v) counts[slots.slot_of[v]] = tuples[v];
  });
  return counts;
}

void scatter_tuples(const EdgeSource& source, const Labels& labels, const Slots& slots, RowsHold hold,
                    std::span<const std::uint64_t> bases, std::span<std::uint32_t> cursors, std::span<Vertex> targets,
                    Team team, Progress& progress)
{
  for_each_edge_block(source, team, progress, [&](std::uint64_t, std::span<const Edge> edges, int) {
    Drops<Vertex> drops(cursors, bases, targets);
    for (auto const [from, to] : edges) {
      if (from == to) continue;
      Vertex const a = slots.slot_of[labels.vertex(from)];
      Vertex const b = slots.slot_of[labels.vertex(to)];
      if (hold != RowsHold::sources) drops.add(a, b);
      if (hold != RowsHold::targets) drops.add(b, a);
    }
    drops.finish();
  });
}

Adjacency build_adjacency(const EdgeSource& source, const Labels& labels, const Slots& slots, RowsHold hold,
                          const Buffer<std::uint32_t>& tuples, Team team, Progress& progress)
{
  Buffer<std::uint32_t> ends = row_counts(tuples, slots, team);  // then cursors, then row ends, at last the splits
  RowStarts rows = place_rows(ends.span());
  Buffer<Vertex> targets(rows.entries);
  std::copy_n(rows.starts.data(), ends.size(), ends.data());

  progress.begin("placing edges", source.facts().edges, "edges");
  scatter_tuples(source, labels, slots, hold, rows.bases.span(), ends.span(), targets.span(), team, progress);
  progress.end();

  progress.begin("sorting lists", 0, "");
  auto const bits = static_cast<int>(std::bit_width(slots.rows()));
  sort_rows<Vertex>(targets.span(), rows.starts.span(), ends.span(), rows.bases.span(), slots.delegates, bits, team);
  targets.shrink(close_gaps<Vertex>(targets.span(), rows.starts.span(), ends.span(), rows.bases.span(), team));
  if (slots.delegates == 0)
    ends = Buffer<std::uint32_t>();
  else
    split_rows(targets.span(), rows.starts.span(), rows.bases.span(), slots.delegates, ends.span(), team);
  progress.end();

  return {Section<std::uint32_t>(std::move(rows.starts)), Section<std::uint32_t>(std::move(ends)),
          Section<std::uint64_t>(std::move(rows.bases)), Section<Vertex>(std::move(targets))};
}

}  // namespace

Built build_layout(const EdgeSource& source, const Labels& labels, const BuildOptions& options, Team team,
                   Progress& progress)
{
  Built built;
  Layout& layout = built.layout;
  layout.vertices = labels.size();
  layout.directed = options.directed;

  progress.begin("counting degrees", source.facts().edges, "edges");
  Degrees degrees = count_degrees(source, labels, options.directed, team, progress);
  progress.end();
  built.self_loops = degrees.self_loops;

  layout.threshold =
      options.threshold ? *options.threshold : choose_threshold(degrees.out.span(), degrees.in.span(), team);
  Slots slots = assign_slots(degrees, layout.vertices, layout.threshold, team);
  layout.delegates = slots.delegates;
  if (options.directed) {
    layout.out = build_adjacency(source, labels, slots, RowsHold::targets, degrees.out, team, progress);
    layout.in = build_adjacency(source, labels, slots, RowsHold::sources, degrees.in, team, progress);
  } else {
    RowsHold const hold = source.facts().listed_twice ? RowsHold::targets : RowsHold::both_ends;
    layout.out = build_adjacency(source, labels, slots, hold, degrees.out, team, progress);
    layout.in = layout.out;
  }
  layout.delegate_vertices = Section<Vertex>(std::move(slots.delegate_vertices));
  layout.input_degrees = Section<std::uint32_t>(std::move(degrees.out));
  return built;
}

std::uint64_t most_delegates(std::uint64_t vertices, std::optional<std::uint64_t> threshold)
{
  if (!threshold) return vertices / least_vertices_per_delegate;
  return *threshold == plain_threshold ? 0 : vertices;
}

BuildBytes predict_build_bytes(const BuildCounts& counts)
{
  std::uint64_t const delegates = most_delegates(counts.vertices, counts.threshold);
  std::uint64_t const rows = saturating_sum({counts.vertices, delegates, 1});
  std::uint64_t const directions = counts.directed ? 2 : 1;
  std::uint64_t const ends = counts.directed ? 2 : counts.listed_twice ? 1 : 2;
  BuildBytes bytes;
  bytes.entries = saturating_product(counts.edges, ends * sizeof(Vertex));
  bytes.rows = saturating_product(rows, directions * 2 * sizeof(std::uint32_t) + 1);  // a base is an eighth of a byte
  bytes.degrees = saturating_product(counts.vertices, sizeof(std::uint32_t));
  bytes.temporary = saturating_product(saturating_sum({counts.vertices, delegates}),
                                       sizeof(Vertex) + (counts.directed ? sizeof(std::uint32_t) : 0));
  return bytes;
}

}  // namespace brushfire
