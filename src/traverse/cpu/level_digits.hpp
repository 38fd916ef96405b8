// The levels of 64 searches, written as they are found and read as rows at the end. Digit k of the level of a vertex,
// plus one, stands for all searches in one word, so a level costs a few words per vertex found and not 64 lines of a
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
  explicit LevelDigits(Vertex vertices) : vertices_(vertices) {}

  void clear(Team team);
  void begin_level(std::int64_t level);  // until the next, of everything that is found
  // One caller for a vertex in a level.
  void add(Vertex v, Word found)
  {
    for (Word* const digit : set_digits_) digit[v] |= found;
  }
  // One row after another, as many as fit.
  void write_rows(std::span<std::int32_t> rows, Team team) const;

 private:
  Vertex vertices_;
  std::vector<Buffer<Word>> digits_;  // as many as the deepest level so far needed
  std::vector<Word*> set_digits_;     // of the level
};

}  // namespace brushfire::cpu
