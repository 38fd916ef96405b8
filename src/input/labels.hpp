// Which labels a graph has, and the dense index (Vertex) of each: its rank among them. When the labels
// are a run of consecutive integers, which is the usual case, the mapping is one subtraction and no memory.
// Otherwise a table of rising labels leads from index to label, and one of two structures leads back:
// a bitmap with ranks where the labels lie close enough together, a directory into the table where not.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "base/labels_view.hpp"
#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/types.hpp>

#include <algorithm>
#include <bit>
#include <optional>

namespace brushfire {

class Labels {
 public:
  Labels() = default;
  static Labels of_range(LabelRange range);  // throws Error(memory) past 2^32-2 vertices
  // The declared range where the source declares one, else the labels that occur in its tuples.
  static Labels of_source(const EdgeSource& source, Team team);
  // From a stored table of rising labels, for example a section of a .bfg file. A table that does not rise
  // gives wrong indices, but never one out of range.
  static Labels of_table(Section<Label> rising);

  Vertex size() const { return size_; }
  bool consecutive() const { return table_.size() == 0; }
  Label first() const;    // smallest label; 0 for an empty graph
  Label largest() const;  // -1 for an empty graph
  Label label(Vertex vertex) const { return consecutive() ? first_ + vertex : table_[vertex]; }
  std::optional<Vertex> find(Label label) const;  // nothing when the graph has no such label
  Vertex vertex(Label label) const;               // for labels known to occur; the fast way inside passes

  std::span<const Label> table() const { return table_.span(); }  // empty when consecutive
  LabelsView view() const { return {consecutive() ? nullptr : table_.data(), first_}; }
  std::uint64_t bytes() const;

 private:
  // 64 labels from a multiple of 64 above first_: which of them occur, and how many occur before them.
  struct Ranked {
    Word occurs;
    Vertex before;
  };

  static Labels of_bitmap(const EdgeSource& source, Label first, Label largest, Team team);
  void index_table(int most_bits);
  std::uint64_t slot(Label label) const
  {
    return (static_cast<std::uint64_t>(label) - static_cast<std::uint64_t>(first_)) >> shift_;
  }
  Vertex search(Label label) const;

  Vertex size_ = 0;
  Label first_ = 0;
  Section<Label> table_;       // rising; empty when consecutive
  Section<Ranked> ranks_;      // empty, or covers first_ ... largest label
  Section<Vertex> directory_;  // slot k of the table starts at directory_[k]; empty where ranks_ is used
  int shift_ = 0;              // a slot holds the labels that agree in all but their lowest shift_ bits
};

// The index of a label within its slot: every bound is checked, the table may come from an altered file.
inline Vertex Labels::search(Label label) const
{
  std::uint64_t const at = std::min<std::uint64_t>(slot(label), directory_.size() - 2);
  Vertex low = std::min<Vertex>(directory_[at], size_ - 1);
  Vertex high = std::min<Vertex>(directory_[at + 1], size_ - 1);
  while (low < high) {
    Vertex const middle = low + (high - low) / 2;
    if (table_[middle] < label)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

inline Vertex Labels::vertex(Label label) const
{
  if (consecutive()) return static_cast<Vertex>(label - first_);
  if (ranks_.size() == 0) return search(label);
  std::uint64_t const offset = static_cast<std::uint64_t>(label - first_);
  Ranked const& ranked = ranks_[offset / word_bits];
  return ranked.before + static_cast<Vertex>(std::popcount(ranked.occurs & (bit_of(offset) - 1)));
}

}  // namespace brushfire
