// The levels of 64 searches, written as they are found and read as rows at the end. Digit k of the level of a slot,
// plus one, stands for all searches in one word, so a level costs a few words per slot found and not 64 lines of a
// matrix. Zero means: not reached.
#pragma once

#include "base/bits.hpp"
#include "base/buffer.hpp"
#include "base/parallel.hpp"

#include <brushfire/types.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace brushfire::cpu {

class LevelDigits {
 public:
  explicit LevelDigits(std::uint64_t slots) : slots_(slots) {}

  void forget();
  // What is found from now on has this level: at all slots that count, tile by tile, or at a few. Before the first
  // few, digits that hold something old are cleared; tiles write over it.
  void begin_level(std::int64_t level);
  void begin_few(Team team);
  void end_tiles();

  // One caller for a slot in a level.
  void add(std::uint64_t slot, Word found)
  {
    for (std::size_t const k : level_digits_) digits_[k].words[slot] |= found;
  }
  void add_tile(std::uint64_t first, std::span<const Word> found);

  void copy(std::uint64_t from, std::uint64_t to);
  // Those of the slots from `first` on, one row after another, as many as fit.
  void write_rows(std::uint64_t first, Vertex count, std::span<std::int32_t> rows, Team team) const;

 private:
  struct Digit {
    Buffer<Word> words;
    bool is_old = true;  // holds what an earlier batch found: counts as zero
  };

  std::uint64_t slots_;
  std::vector<Digit> digits_;              // as many as the deepest level so far needed
  std::vector<std::size_t> level_digits_;  // those that are set in the level
};

}  // namespace brushfire::cpu
