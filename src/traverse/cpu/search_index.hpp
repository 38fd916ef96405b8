// What every search of one graph on the CPU looks up, made once: nothing here changes while searching.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "base/labels_view.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "build/part.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace brushfire::cpu {

struct SearchIndex {
  // `of_part` is the part whose layout it is, if it is one of several.
  SearchIndex(const Layout& layout, const Part* of_part, LabelsView labels, Team team);

  std::optional<Vertex> rank_of(std::uint64_t vertex) const;  // nothing for a normal vertex; an index among all

  struct Home {
    Vertex vertex;  // inside the graph even when a file was altered
    Vertex rank;    // of the delegate that lives there
  };

  const Layout& layout;
  const Part* part = nullptr;                    // whose layout it is, if it is one of several
  Buffer<Label> delegate_labels;                 // by rank
  Buffer<std::uint32_t> narrow_delegate_labels;  // the same in half the room; empty where one is too large
  std::vector<Home> homes;                       // of the delegates that live here, by rising Vertex
  // The first delegate in the list of every normal vertex and of every delegate, or no_vertex: where most pulls end.
  Buffer<Vertex> first_delegates, first_delegates_of_delegates;

  // Normal vertices with a second delegate, and with a normal neighbour.
  Buffer<Word> with_more_delegates, with_normals;

  // Bits of what can never be discovered, marked visited from the start: vertices without a neighbour that could find
  // them, delegates among the normal vertices, delegates that have no edge in this part, and what lies past the last
  // vertex.
  Buffer<Word> delegates_never_waiting, normals_never_waiting;
  Buffer<Word> own_delegates, other_delegates;  // of a part: those that live here, and the rest
  std::uint64_t searchable_delegates = 0, searchable_normals = 0;
  std::array<std::uint64_t, subgraph_count> entries{};
  std::uint32_t longest_normal_list = 0;  // entries to normal vertices

 private:
  void index_delegates(LabelsView labels);
  void index_normals(Team team);
};

// What a search keeps by rank goes to the vertices of the delegates that live here.
template <typename Value>
void move_delegates_home(const SearchIndex& index, const Value* by_rank, Value* by_vertex, Team team)
{
  team.for_blocks(index.homes.size(), 4096, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t i = first; i < last; ++i) by_vertex[index.homes[i].vertex] = by_rank[index.homes[i].rank];
  });
}

}  // namespace brushfire::cpu
