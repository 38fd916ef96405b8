#include "input/labels.hpp"

#include "base/error.hpp"
#include "input/edge_blocks.hpp"

#include <brushfire/progress.hpp>

#include <iterator>
#include <vector>

namespace brushfire {

namespace {

constexpr std::uint64_t most_vertices = no_vertex - 1;

void check_count(std::uint64_t vertices)
{
  if (vertices > most_vertices)
    fail(ErrorKind::memory, "{} vertices are more than one process can number ({}); use a smaller graph", vertices,
         most_vertices);
}

struct alignas(64) Extent {
  Label first = largest_label;
  Label largest = no_label;

  void add(Label label)
  {
    first = std::min(first, label);
    largest = std::max(largest, label);
  }
};

Extent extent_of(const EdgeSource& source, Team team)
{
  std::vector<Extent> extents(static_cast<std::size_t>(team.threads));
  for_each_edge_block(source, team, Progress::none(), [&](std::uint64_t, std::span<const Edge> edges, int thread) {
    Extent extent = extents[static_cast<std::size_t>(thread)];
    for (Edge const& edge : edges) extent.add(edge.source), extent.add(edge.target);
    extents[static_cast<std::size_t>(thread)] = extent;
  });
  Extent all;
  for (Extent const& extent : extents)
    all.first = std::min(all.first, extent.first), all.largest = std::max(all.largest, extent.largest);
  return all;
}

// The distinct labels of a source, rising: runs are sorted by themselves, then merged in pairs.
std::vector<Label> distinct_labels(const EdgeSource& source, Team team)
{
  constexpr std::uint64_t edges_per_run = 1 << 19;
  std::uint64_t const edges = source.facts().edges;
  std::vector<std::vector<Label>> runs((edges + edges_per_run - 1) / edges_per_run);
  team.for_blocks(edges, edges_per_run, [&](std::uint64_t first, std::uint64_t last, int) {
    std::vector<Edge> block(last - first);
    source.read(first, block);
    auto& run = runs[first / edges_per_run];
    run.reserve(2 * block.size());
    for (Edge const& edge : block) run.push_back(edge.source), run.push_back(edge.target);
    std::sort(run.begin(), run.end());
    run.erase(std::unique(run.begin(), run.end()), run.end());
    run.shrink_to_fit();
  });
  while (runs.size() > 1) {
    std::vector<std::vector<Label>> merged((runs.size() + 1) / 2);
    team.for_blocks(merged.size(), 1, [&](std::uint64_t pair, std::uint64_t, int) {
      auto& left = runs[2 * pair];
      if (2 * pair + 1 == runs.size()) {
        merged[pair] = std::move(left);
        return;
      }
      auto& right = runs[2 * pair + 1];
      std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(merged[pair]));
      left = {};
      right = {};
    });
    runs = std::move(merged);
  }
  return std::move(runs.front());
}

}  // namespace

Labels Labels::of_range(LabelRange range)
{
  check_count(range.count);
  Labels labels;
  labels.size_ = static_cast<Vertex>(range.count);
  labels.first_ = range.count == 0 ? 0 : range.first;
  return labels;
}

Labels Labels::of_source(const EdgeSource& source, Team team)
{
  EdgeFacts const& facts = source.facts();
  if (facts.declared) return of_range(*facts.declared);
  if (facts.edges == 0) return {};
  Extent const extent = extent_of(source, team);
  // A bitmap of this span takes at most 16 bytes per tuple, the memory of the tuples themselves.
  std::uint64_t const span = static_cast<std::uint64_t>(extent.largest - extent.first);
  if (span / word_bits < facts.edges + (1 << 16)) return of_bitmap(source, extent.first, extent.largest, team);

  std::vector<Label> const distinct = distinct_labels(source, team);
  check_count(distinct.size());
  Buffer<Label> table(distinct.size());
  std::copy(distinct.begin(), distinct.end(), table.data());
  Labels labels;
  labels.size_ = static_cast<Vertex>(distinct.size());
  labels.first_ = extent.first;
  labels.table_ = Section<Label>(std::move(table));
  labels.index_table(20);
  return labels;
}

Labels Labels::of_bitmap(const EdgeSource& source, Label first, Label largest, Team team)
{
  Buffer<Ranked> ranks(static_cast<std::uint64_t>(largest - first) / word_bits + 1);
  for_each_edge_block(source, team, Progress::none(), [&](std::uint64_t, std::span<const Edge> edges, int) {
    auto const mark = [&](Label label) {
      std::uint64_t const offset = static_cast<std::uint64_t>(label - first);
      Word* const word = &ranks[offset / word_bits].occurs;
      // Most labels were met before; a plain look is far cheaper than an atomic write.
      if (!test_bit_shared(word, offset % word_bits)) claim_bit(word, offset % word_bits);
    };
    for (Edge const& edge : edges) mark(edge.source), mark(edge.target);
  });

  std::uint64_t count = 0;
  for (Ranked& ranked : ranks.span()) {
    ranked.before = static_cast<Vertex>(count);
    count += static_cast<std::uint64_t>(std::popcount(ranked.occurs));
  }
  if (count == static_cast<std::uint64_t>(largest - first) + 1) return of_range({first, count});
  check_count(count);

  Buffer<Label> table(count);
  team.for_blocks(ranks.size(), 1 << 12, [&](std::uint64_t begin, std::uint64_t end, int) {
    for (std::uint64_t at = begin; at < end; ++at) {
      Label* next = table.data() + ranks[at].before;
      for_each_bit(ranks[at].occurs, at * word_bits,
                   [&](std::uint64_t offset) { *next++ = first + static_cast<Label>(offset); });
    }
  });
  Labels labels;
  labels.size_ = static_cast<Vertex>(count);
  labels.first_ = first;
  labels.table_ = Section<Label>(std::move(table));
  labels.ranks_ = Section<Ranked>(std::move(ranks));
  return labels;
}

Labels Labels::of_table(Section<Label> rising)
{
  check_count(rising.size());
  Labels labels;
  labels.size_ = static_cast<Vertex>(rising.size());
  if (rising.size() == 0) return labels;
  labels.first_ = rising[0];
  labels.table_ = std::move(rising);
  labels.index_table(12);  // few slots: opening a mapped table must not read it whole
  return labels;
}

// Cuts the span of the labels into at most 2^most_bits slots of equal width.
void Labels::index_table(int most_bits)
{
  auto const table = table_.span();
  std::uint64_t const span = static_cast<std::uint64_t>(table.back()) - static_cast<std::uint64_t>(first_);
  int const bits = std::min(most_bits, static_cast<int>(std::bit_width(table.size())));
  shift_ = std::max(0, static_cast<int>(std::bit_width(span)) - bits);
  std::uint64_t const slots = (span >> shift_) + 1;
  Buffer<Vertex> directory(slots + 1);
  for (std::uint64_t at = 0; at < slots; ++at) {
    Label const start = static_cast<Label>(static_cast<std::uint64_t>(first_) + (at << shift_));
    directory[at] = static_cast<Vertex>(std::lower_bound(table.begin(), table.end(), start) - table.begin());
  }
  directory[slots] = size_;
  directory_ = Section<Vertex>(std::move(directory));
}

Label Labels::first() const { return size_ == 0 ? 0 : label(0); }

Label Labels::largest() const { return size_ == 0 ? no_label : label(size_ - 1); }

std::optional<Vertex> Labels::find(Label label) const
{
  if (size_ == 0 || label < first() || label > largest()) return std::nullopt;
  if (consecutive()) return static_cast<Vertex>(label - first_);
  Vertex const vertex = this->vertex(label);
  if (vertex >= size_ || table_[vertex] != label) return std::nullopt;
  return vertex;
}

std::uint64_t Labels::bytes() const { return table_.bytes() + ranks_.bytes() + directory_.bytes(); }

}  // namespace brushfire
