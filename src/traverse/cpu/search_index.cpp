#include "traverse/cpu/search_index.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>

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

SearchIndex::SearchIndex(const Layout& searched, const Part* of_part, LabelsView labels, Team team)
    : layout(searched),
      part(of_part),
      delegate_labels(searched.delegates),
      first_delegates(searched.delegates == 0 ? 0 : searched.vertices),
      first_delegates_of_delegates(searched.delegates),
      with_more_delegates(words_for(searched.vertices)),
      with_normals(words_for(searched.vertices)),
      delegates_never_waiting(bits_past(searched.delegates)),
      normals_never_waiting(bits_past(searched.vertices)),
      own_delegates(of_part == nullptr ? 0 : words_for(searched.delegates)),
      other_delegates(of_part == nullptr ? 0 : words_for(searched.delegates))
{
  index_delegates(labels);
  index_normals(team);
  for (std::size_t kind = 0; kind < subgraph_count; ++kind) entries[kind] = layout.entries(static_cast<Subgraph>(kind));
}

void SearchIndex::index_delegates(LabelsView labels)
{
  std::array<SubgraphView, 4> const lists{layout.pushed(Subgraph::dd), layout.pushed(Subgraph::dn),
                                          layout.pulled(Subgraph::dd), layout.pulled(Subgraph::nd)};
  SubgraphView const from_delegates = layout.pulled(Subgraph::dd);
  for (Vertex rank = 0; rank < layout.delegates; ++rank) {
    EntryRange const row = from_delegates.row(rank);
    first_delegates_of_delegates[rank] = row.size() == 0 ? no_vertex : from_delegates.target(row.first);
    if (part != nullptr) {
      delegate_labels[rank] = part->delegates[rank].label;
      if (std::all_of(lists.begin(), lists.end(), [&](const SubgraphView& list) { return list.length(rank) == 0; }))
        set_bit(delegates_never_waiting.data(), rank);
    }
    if (!test_bit(delegates_never_waiting.data(), rank)) ++searchable_delegates;
    if (part != nullptr) set_bit((layout.is_home(rank) ? own_delegates : other_delegates).data(), rank);
    if (!layout.is_home(rank)) continue;
    Vertex const home = layout.home(rank);
    homes.push_back({home, rank});
    if (part == nullptr) delegate_labels[rank] = labels(home);
    set_bit(normals_never_waiting.data(), home);
  }
  constexpr Label largest = std::numeric_limits<std::uint32_t>::max();
  std::span const wide = delegate_labels.span();
  if (std::all_of(wide.begin(), wide.end(), [](Label label) { return label >= 0 && label <= largest; })) {
    narrow_delegate_labels = Buffer<std::uint32_t>(wide.size());
    std::copy(wide.begin(), wide.end(), narrow_delegate_labels.data());
  }
  std::sort(homes.begin(), homes.end(),
            [](const Home& a, const Home& b) { return a.vertex != b.vertex ? a.vertex < b.vertex : a.rank < b.rank; });
  // Two delegates share a home only in an altered file; one of them has it.
  auto const same = [](const Home& a, const Home& b) { return a.vertex == b.vertex; };
  homes.erase(std::unique(homes.begin(), homes.end(), same), homes.end());
}

void SearchIndex::index_normals(Team team)
{
  SubgraphView const from_delegates = layout.pulled(Subgraph::dn), from_normals = layout.pulled(Subgraph::nn);
  SubgraphView const to_normals = layout.pushed(Subgraph::nn);
  std::atomic<std::uint64_t> searchable{0};
  std::atomic<std::uint32_t> longest{0};
  team.for_blocks(layout.vertices, 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t found = 0;
    std::uint32_t longest_here = 0;
    for (std::uint64_t index = first; index < last; ++index) {
      auto const v = static_cast<Vertex>(index);
      EntryRange const row = from_delegates.row(v);
      if (first_delegates.size() != 0)
        first_delegates[v] = row.size() == 0 ? no_vertex : from_delegates.target(row.first);
      if (row.size() > 1) set_bit(with_more_delegates.data(), v);
      longest_here = std::max(longest_here, to_normals.length(v));
      if (from_normals.length(v) > 0) set_bit(with_normals.data(), v);
      bool const far = part != nullptr && part->incoming().length(v) > 0;
      if (row.size() == 0 && from_normals.length(v) == 0 && !far) set_bit(normals_never_waiting.data(), v);
      if (!test_bit(normals_never_waiting.data(), v)) ++found;
    }
    searchable.fetch_add(found, std::memory_order_relaxed);
    for (std::uint32_t known = longest.load(std::memory_order_relaxed); known < longest_here;)
      longest.compare_exchange_weak(known, longest_here, std::memory_order_relaxed);
  });
  searchable_normals = searchable.load();
  longest_normal_list = longest.load();
}

std::optional<Vertex> SearchIndex::rank_of(std::uint64_t vertex) const
{
  if (part != nullptr) return part->delegates.rank_of(vertex);
  auto const found = std::lower_bound(homes.begin(), homes.end(), vertex,
                                      [](const Home& home, std::uint64_t v) { return home.vertex < v; });
  if (found == homes.end() || found->vertex != vertex) return std::nullopt;
  return found->rank;
}

}  // namespace brushfire::cpu
