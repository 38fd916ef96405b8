// A pull of a batch of searches over a tile of rows, by one thread: in each round every row that still waits for
// somebody asks its next few neighbours. Round by round and not row by row: how many neighbours a row has to ask cannot
// be guessed, and each wrong guess costs as much as several neighbours.
#pragma once

#include "traverse/cpu/batch_wave.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace brushfire::cpu {

class BatchPull {
 public:
  static constexpr std::uint64_t most_rows = 1024;  // of a tile

  // `delegates` and `normals` are the words of the frontier.
  BatchPull(const BatchLists& lists, const Word* delegates, const Word* normals)
      : lists_(lists), delegates_(delegates), normals_(normals)
  {
  }

  // Joins to `next` what neighbours bring of `sources` that the row has not seen. `rows` are those that wait; both
  // words are those of the slots of row `first` and after it. Returns the entries looked at.
  std::uint64_t pull(std::span<const Vertex> rows, Vertex first, Word sources, const Word* seen, Word* next)
  {
    return ask(lists_.to_delegates, delegates_, rows, first, sources, seen, next) +
           ask(lists_.to_normals, normals_, rows, first, sources, seen, next);
  }

 private:
  struct Asking {
    EdgeIndex next, last;
    Vertex place;
  };

  // Flat: calls of graph.row() would be a tenth of a batch of searches.
  [[gnu::flatten]] std::uint64_t ask(const SubgraphView& graph, const Word* frontier, std::span<const Vertex> rows,
                                     Vertex first, Word sources, const Word* seen, Word* next)
  {
    constexpr std::size_t few = 8;  // rows: no longer worth going round
    std::size_t count = 0;
    for (Vertex const row : rows) {
      EntryRange const range = graph.row(row);
      Vertex const place = row - first;
      asking_[count] = {range.first, range.last, place};
      count += range.first < range.last && (sources & ~seen[place] & ~next[place]) != 0;
    }
    // The greatest hub often has them all.
    std::uint64_t checked = ask_round<1>(graph, frontier, count, sources, seen, next);
    while (count > few) checked += ask_round<4>(graph, frontier, count, sources, seen, next);
    for (const Asking& asking : std::span(asking_).first(count)) {
      Word const missing = sources & ~seen[asking.place];
      Word found = next[asking.place];
      EdgeIndex e = asking.next;
      while (e < asking.last && (missing & ~found) != 0)
        for (EdgeIndex const last = std::min(e + 8, asking.last); e < last; ++e) found |= frontier[graph.target(e)];
      checked += e - asking.next;
      next[asking.place] |= found & missing;
    }
    return checked;
  }

  // Keeps the rows that have to go on in front, and `count` of them. Without branches: where a list ends early, its
  // last entry is asked again.
  template <EdgeIndex at_a_time>
  std::uint64_t ask_round(const SubgraphView& graph, const Word* frontier, std::size_t& count, Word sources,
                          const Word* seen, Word* next)
  {
    std::size_t kept = 0;
    std::uint64_t checked = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Asking asking = asking_[i];
      Word brought = frontier[graph.target(asking.next)];
      for (EdgeIndex k = 1; k < at_a_time; ++k)
        brought |= frontier[graph.target(std::min(asking.next + k, asking.last - 1))];
      Word const missing = sources & ~seen[asking.place];
      Word const found = next[asking.place] | (brought & missing);
      next[asking.place] = found;
      checked += std::min(at_a_time, asking.last - asking.next);
      asking.next += at_a_time;
      asking_[kept] = asking;
      kept += (missing & ~found) != 0 && asking.next < asking.last;
    }
    count = kept;
    return checked;
  }

  const BatchLists& lists_;
  const Word* delegates_;
  const Word* normals_;
  std::array<Asking, most_rows + 1> asking_;
};

}  // namespace brushfire::cpu
