#include "build/builder.hpp"

#include "base/error.hpp"
#include "base/saturating.hpp"
#include "build/degrees.hpp"
#include "build/rows.hpp"
#include "input/edge_blocks.hpp"

#include <brushfire/graph.hpp>

#include <algorithm>
#include <array>
#include <atomic>
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

// Row starts from the number of tuples at each vertex; a delegate's row at its rank, its own Vertex's row empty.
struct RowStarts {
  Buffer<std::uint32_t> starts;
  Buffer<std::uint64_t> bases;
  EdgeIndex entries = 0;
};

RowStarts place_rows(const Buffer<std::uint32_t>& tuples, const Slots& slots)
{
  RowStarts rows;
  std::uint64_t const count = slots.rows();
  rows.starts = Buffer<std::uint32_t>(count + 1);
  rows.bases = Buffer<std::uint64_t>((count + rows_per_base - 1) / rows_per_base + 1);
  EdgeIndex position = 0, block_start = 0;
  for (std::uint64_t row = 0; row < count; ++row) {
    if (row % rows_per_base == 0) rows.bases[row / rows_per_base] = block_start = position;
    rows.starts[row] = static_cast<std::uint32_t>(position);
    if (row < slots.delegates) {
      position += tuples[slots.delegate_vertices[row]];
    } else if (auto const vertex = static_cast<Vertex>(row - slots.delegates); slots.slot_of[vertex] == row) {
      position += tuples[vertex];
    }
    if (position - block_start > std::numeric_limits<std::uint32_t>::max())
      fail(ErrorKind::failure, "{} neighbouring rows hold more than 2^32-1 entries, which this build cannot address",
           rows_per_base);
  }
  rows.starts[count] = static_cast<std::uint32_t>(position);
  rows.entries = position;
  return rows;
}

// Drops of one thread, done in three sweeps. An atomic operation waits until all stores before it have left the core,
// so cursors are advanced in one sweep (their lines fetched beforehand) and entries stored in the next: every sweep
// overlaps its cache misses. One drop after another took three times as long.
class Drops {
 public:
  Drops(std::span<std::uint32_t> cursors, std::span<const std::uint64_t> bases, std::span<Vertex> targets)
      : cursors_(cursors), bases_(bases), targets_(targets)
  {
  }

  void add(Vertex row, Vertex value)
  {
    __builtin_prefetch(&cursors_[row], 1);
    rows_[count_] = row;
    values_[count_] = value;
    if (++count_ == rows_.size()) finish();
  }

  void finish()
  {
    std::array<EdgeIndex, batch> places;
    for (std::size_t i = 0; i < count_; ++i) {
      Vertex const row = rows_[i];
      std::uint32_t const low = std::atomic_ref<std::uint32_t>(cursors_[row]).fetch_add(1, std::memory_order_relaxed);
      places[i] = position_of(low, bases_[row / rows_per_base]);
    }
    for (std::size_t i = 0; i < count_; ++i) targets_[places[i]] = values_[i];
    count_ = 0;
  }

 private:
  static constexpr std::size_t batch = 128;
  std::span<std::uint32_t> cursors_;
  std::span<const std::uint64_t> bases_;
  std::span<Vertex> targets_;
  std::array<Vertex, batch> rows_, values_;
  std::size_t count_ = 0;
};

void scatter_tuples(const EdgeSource& source, const Labels& labels, const Slots& slots, RowsHold hold,
                    std::span<const std::uint64_t> bases, std::span<std::uint32_t> cursors, std::span<Vertex> targets,
                    Team team, Progress& progress)
{
  for_each_edge_block(source, team, progress, [&](std::uint64_t, std::span<const Edge> edges, int) {
    Drops drops(cursors, bases, targets);
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

// Turns slots back into ranks and Vertices, and finds where the normal neighbours start.
void split_rows(std::span<Vertex> targets, std::span<const std::uint32_t> starts, std::span<const std::uint64_t> bases,
                Vertex delegates, std::span<std::uint32_t> splits, Team team)
{
  team.for_blocks(splits.size(), 1024, [&](std::uint64_t first_row, std::uint64_t last_row, int) {
    for (std::uint64_t row = first_row; row < last_row; ++row) {
      auto const values = targets.subspan(position_of(starts[row], bases[row / rows_per_base]),
                                          static_cast<std::uint32_t>(starts[row + 1] - starts[row]));
      auto const normal = std::lower_bound(values.begin(), values.end(), delegates);
      splits[row] = starts[row] + static_cast<std::uint32_t>(normal - values.begin());
      for (auto target = normal; target != values.end(); ++target) *target -= delegates;
    }
  });
}

Adjacency build_adjacency(const EdgeSource& source, const Labels& labels, const Slots& slots, RowsHold hold,
                          const Buffer<std::uint32_t>& tuples, Team team, Progress& progress)
{
  RowStarts rows = place_rows(tuples, slots);
  Buffer<Vertex> targets(rows.entries);
  Buffer<std::uint32_t> ends(slots.rows());  // the cursors of the scatter, then the row ends, at last the splits
  std::copy_n(rows.starts.data(), ends.size(), ends.data());

  progress.begin("placing edges", source.facts().edges, "edges");
  scatter_tuples(source, labels, slots, hold, rows.bases.span(), ends.span(), targets.span(), team, progress);
  progress.end();

  progress.begin("sorting lists", 0, "");
  auto const bits = static_cast<int>(std::bit_width(slots.rows()));
  sort_rows(targets.span(), rows.starts.span(), ends.span(), rows.bases.span(), slots.delegates, bits, team);
  targets.shrink(close_gaps(targets.span(), rows.starts.span(), ends.span(), rows.bases.span(), team));
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
