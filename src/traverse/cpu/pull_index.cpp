#include "traverse/cpu/pull_index.hpp"

#include <atomic>

namespace brushfire::cpu {

PullIndex::PullIndex(const SubgraphView& lists, Vertex targets, Team team)
    : firsts(words_for(targets) * word_bits), searchable(words_for(targets)), longer(words_for(targets))
{
  std::atomic<std::uint64_t> with_list{0};
  team.for_blocks(targets, 1 << 14, [&](std::uint64_t first, std::uint64_t last, int) {
    std::uint64_t found = 0;
    for (std::uint64_t index = first; index < last; ++index) {
      auto const v = static_cast<Vertex>(index);
      EntryRange const row = lists.row(v);
      firsts[v] = row.size() == 0 ? no_vertex : lists.target(row.first);
      if (row.size() > 0) set_bit(searchable.data(), v);
      if (row.size() > 1) set_bit(longer.data(), v);
      if (row.size() > 0) ++found;
    }
    with_list.fetch_add(found, std::memory_order_relaxed);
  });
  count = with_list.load();
}

}  // namespace brushfire::cpu
