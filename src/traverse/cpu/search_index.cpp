#include "traverse/cpu/search_index.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace brushfire::cpu {

namespace {

Buffer<Word> bits_past(Vertex vertices)
{
  std::uint64_t const capacity = capacity_for(vertices);
  Buffer<Word> bits(words_for(capacity));
  for (std::uint64_t v = vertices; v < words_for(capacity) * word_bits; ++v) set_bit(bits.data(), v);
  return bits;
}

}  // namespace

SearchIndex::SearchIndex(const Layout& searched, LabelsView labels, Team team)
    : layout(searched),
      delegate_labels(searched.delegates),
      delegates_home(searched.delegates),
      ranks_by_home(searched.delegates),
      first_delegates(searched.delegates == 0 ? 0 : searched.vertices),
      delegates_never_waiting(bits_past(searched.delegates)),
      normals_never_waiting(bits_past(searched.vertices))
{
  for (Vertex rank = 0; rank < layout.delegates; ++rank) {
    Vertex const home = layout.home(rank);
    delegates_home[rank] = home;
    delegate_labels[rank] = labels(home);
    set_bit(normals_never_waiting.data(), home);
  }
  std::iota(ranks_by_home.begin(), ranks_by_home.end(), Vertex{0});
  std::sort(ranks_by_home.begin(), ranks_by_home.end(),
            [&](Vertex a, Vertex b) { return delegates_home[a] < delegates_home[b]; });

  SubgraphView const from_delegates = layout.pulled(Subgraph::dn), from_normals = layout.pulled(Subgraph::nn);
  std::atomic<std::uint64_t> searchable{0};
  team.for_blocks(layout.vertices, 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t found = 0;
    for (std::uint64_t index = first; index < last; ++index) {
      auto const v = static_cast<Vertex>(index);
      EntryRange const row = from_delegates.row(v);
      if (first_delegates.size() != 0)
        first_delegates[v] = row.size() == 0 ? no_vertex : from_delegates.target(row.first);
      if (row.size() == 0 && from_normals.length(v) == 0) set_bit(normals_never_waiting.data(), v);
      if (!test_bit(normals_never_waiting.data(), v)) ++found;
    }
    searchable.fetch_add(found, std::memory_order_relaxed);
  });
  searchable_normals = searchable.load();
  for (std::size_t kind = 0; kind < subgraph_count; ++kind) entries[kind] = layout.entries(static_cast<Subgraph>(kind));
}

std::optional<Vertex> SearchIndex::rank_of(Vertex vertex) const
{
  auto const found = std::lower_bound(ranks_by_home.begin(), ranks_by_home.end(), vertex,
                                      [&](Vertex rank, Vertex v) { return delegates_home[rank] < v; });
  if (found == ranks_by_home.end() || delegates_home[*found] != vertex) return std::nullopt;
  return *found;
}

}  // namespace brushfire::cpu
