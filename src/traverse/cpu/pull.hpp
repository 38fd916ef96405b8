// A pull: every vertex that waits looks in its lists for a parent that is in the frontier.
#pragma once

#include "base/bits.hpp"
#include "base/labels_view.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "traverse/cpu/first_neighbours.hpp"
#include "traverse/cpu/frontier.hpp"
#include "traverse/cpu/list_walk.hpp"
#include "traverse/cpu/targets.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace brushfire::cpu {

// One list of each waiting vertex, and the frontier bits its entries are looked up in; not asked when `frontier` is
// null.
struct PullList {
  SubgraphView rows;
  const Word* frontier = nullptr;
  LabelsView labels;
  // The first entry of every list again, or no_vertex, side by side. Lists start with their greatest hub, so most
  // searches of a list end here, and reading firsts in order spares a cache line per vertex. May be null.
  const Vertex* firsts = nullptr;
  const std::uint32_t* narrow_labels = nullptr;  // see FirstNeighbours

  const Word* walked =
      nullptr;  // bits of those whose list has entries, after the first where there are firsts; null: all

  bool asked() const { return frontier != nullptr; }
  bool holds(Vertex u) const { return test_bit(frontier, u); }
  Word worth_walking(std::uint64_t w) const { return !asked() ? 0 : walked == nullptr ? ~Word{0} : walked[w]; }

  // The first entry of v's list that is in the frontier, or no_vertex.
  Vertex find_parent(Vertex v, std::uint64_t& checked) const
  {
    EntryRange const row = rows.row(v);
    for (EdgeIndex e = row.first + (firsts != nullptr ? 1 : 0); e < row.last; ++e) {
      ++checked;
      if (Vertex const u = rows.target(e); holds(u)) return u;
    }
    return no_vertex;
  }
  // The same of a list without hubs in front, in which any entry may be the one.
  Vertex find_parent(Vertex v, FindInList find, std::uint64_t& checked) const
  {
    EntryRange const row = rows.row(v);
    std::uint64_t const place = find(rows.targets + row.first, row.size(), rows.target_mask, frontier);
    checked += std::min(place + 1, row.size());
    return place == row.size() ? no_vertex : rows.target(row.first + place);
  }
};

// The part of a pull that one thread does at a time: some words of vertices, which it owns for the moment.
// The vertices that their first neighbour does not settle are listed, and their lists walked afterwards: with the
// list known, the lines of lists yet to come can be fetched while others are walked.
template <typename Parent>
class PullBlock {
 public:
  static constexpr std::uint64_t words = 64;
  static constexpr int few = 12;  // of 64 targets that wait

  PullBlock(const PullList& delegates, const PullList& normals, const Targets<Parent>& targets, Word* next)
      : delegates_(delegates), normals_(normals), targets_(targets), next_(next)
  {
  }

  void run(std::uint64_t first, std::uint64_t last, bool clear_rest, Tally& tally)
  {
    auto kernels = VectorKernels<Parent>::of(vectors_of_processor());
    bool const in_64_bits = delegates_.labels.table != nullptr && delegates_.narrow_labels == nullptr;
    if (in_64_bits) kernels.ask_first = VectorKernels<Parent>::of(Vectors::none).ask_first;
    for (std::uint64_t w = first; w < last; ++w) {
      // Who finds a parent, here or by its list, gets it afterwards: the lines are at hand.
      if (clear_rest) kernels.clear(w * word_bits, targets_.unreached(w), targets_.parents);
      ask_first_neighbours(w, kernels, tally);
    }
    ask_first_neighbours_of_few(tally);
    ask_lists(tally);
    for (std::uint64_t w = first; w < last; ++w) finish_word(w, tally);
  }

 private:
  void ask_first_neighbours(std::uint64_t w, const VectorKernels<Parent>& kernels, Tally& tally)
  {
    Word const waiting =
        ~targets_.visited[w] & targets_.existing(w) & (targets_.among != nullptr ? targets_.among[w] : ~Word{0});
    Answers answers;
    found_[w % words] = 0;
    if (waiting == 0) return;
    if (std::popcount(waiting) <= few && delegates_.asked() && delegates_.firsts != nullptr) {
      for_each_bit(waiting, w * word_bits, [&](std::uint64_t v) {
        __builtin_prefetch(delegates_.firsts + v);
        __builtin_prefetch(targets_.parents + v, 1);
        few_[few_count_++] = static_cast<Vertex>(v);
      });
      return;
    }
    if (delegates_.asked() && delegates_.firsts != nullptr)
      answers =
          kernels.ask_first({delegates_.firsts, delegates_.frontier, delegates_.labels.table, delegates_.narrow_labels},
                            w * word_bits, waiting, targets_.parents);
    tally.checked += static_cast<std::uint64_t>(std::popcount(answers.asked));
    if (targets_.levels != nullptr)
      for_each_bit(answers.found, w * word_bits, [&](std::uint64_t v) { targets_.levels[v] = targets_.level; });
    Word const open = waiting & ~answers.found & (delegates_.worth_walking(w) | normals_.worth_walking(w));
    for_each_bit(open, w * word_bits,
                 [&](std::uint64_t v) { unsettled_[unsettled_count_++] = static_cast<Vertex>(v); });
    found_[w % words] = answers.found;
  }

  // Where few of a word wait, their lines are asked for ahead.
  void ask_first_neighbours_of_few(Tally& tally)
  {
    for (std::size_t i = 0; i < few_count_; ++i) {
      Vertex const v = few_[i], u = delegates_.firsts[v];
      if (u != no_vertex) ++tally.checked;
      if (u != no_vertex && delegates_.holds(u)) {
        targets_.settle(v, delegates_.labels(u));
        found_[v / word_bits % words] |= bit_of(v);
      } else if (((delegates_.worth_walking(v / word_bits) | normals_.worth_walking(v / word_bits)) & bit_of(v)) != 0) {
        unsettled_[unsettled_count_++] = v;
      }
    }
    few_count_ = 0;
  }

  void ask_lists(Tally& tally)
  {
    constexpr std::size_t ahead = lists_ahead;
    FindInList const find = find_in_list(vectors_of_processor());
    const PullList& first_asked = delegates_.asked() ? delegates_ : normals_;
    for (std::size_t i = 0; i < unsettled_count_; ++i) {
      if (i + 2 * ahead < unsettled_count_) first_asked.rows.prefetch_row(unsettled_[i + 2 * ahead]);
      if (i + ahead < unsettled_count_) first_asked.rows.prefetch_targets(unsettled_[i + ahead]);
      Vertex const v = unsettled_[i];
      for (const PullList* const list : {&delegates_, &normals_}) {
        if (!list->asked()) continue;
        Vertex const u =
            delegates_.asked() ? list->find_parent(v, tally.checked) : list->find_parent(v, find, tally.checked);
        if (u == no_vertex) continue;
        targets_.settle(v, list->labels(u));
        found_[v / word_bits % words] |= bit_of(v);
        break;
      }
    }
    unsettled_count_ = 0;
  }

  void finish_word(std::uint64_t w, Tally& tally)
  {
    Word const found = found_[w % words];
    if (found == 0) return;
    tally.discovered += static_cast<std::uint64_t>(std::popcount(found));
    if (targets_.measured == Measured::all)
      for_each_bit(found, w * word_bits,
                   [&](std::uint64_t v) { targets_.count_entries(static_cast<Vertex>(v), tally); });
    else
      tally.uncounted += static_cast<std::uint64_t>(std::popcount(found));
    next_[w] |= found;
    targets_.visited[w] |= found;
  }

  const PullList& delegates_;
  const PullList& normals_;
  const Targets<Parent>& targets_;
  Word* next_;
  std::array<Word, words> found_;  // blocks start at multiples of their length
  std::array<Vertex, words * word_bits> unsettled_;
  std::array<Vertex, words * few> few_;
  std::size_t unsettled_count_ = 0, few_count_ = 0;
};

// Every waiting vertex asks its list of delegates, whose first entries are the greatest hubs, then its normal
// neighbours. With `clear_rest` everything that is still waiting, or never was, gets parent -1 on the way: the lines
// are at hand. The targets stand in the next frontier from `first_word` on.
template <typename Parent>
void pull(const PullList& delegates, const PullList& normals, const Targets<Parent>& targets, bool clear_rest,
          Frontier& next, std::span<Tally> tallies, Team team, std::uint64_t first_word = 0)
{
  Word* const next_bits = next.begin_bits() + first_word;
  using Block = PullBlock<Parent>;
  team.for_blocks(words_for(targets.count), Block::words, [&](std::uint64_t first, std::uint64_t last, int thread) {
    Tally tally;
    Block(delegates, normals, targets, next_bits).run(first, last, clear_rest, tally);
    next.add_found(tally.discovered);
    tallies[static_cast<std::size_t>(thread)] += tally;
  });
}

// The parent -1 for everything that was not reached, where no pull has written it.
template <typename Parent>
void clear_unreached(const Targets<Parent>& targets, Team team)
{
  auto const kernels = VectorKernels<Parent>::of(vectors_of_processor());
  team.for_blocks(words_for(targets.count), 256, [&](std::uint64_t first, std::uint64_t last, int) {
    for (std::uint64_t w = first; w < last; ++w)
      if (Word const unreached = targets.unreached(w); unreached != 0)
        kernels.clear(w * word_bits, unreached, targets.parents);
  });
}

}  // namespace brushfire::cpu
