// The first question of a pull: is the first neighbour of a waiting vertex in the frontier? On skewed graphs it settles
// nearly all, so this is where a search spends its time. First neighbours stand side by side, and 64 vertices are asked
// at once: with vector instructions where the processor has them, which is found out when the program runs.
#pragma once

#include "base/bits.hpp"

#include <brushfire/types.hpp>

#include <cstdint>

namespace brushfire::cpu {

struct FirstNeighbours {
  const Vertex* firsts = nullptr;                // by target, no_vertex without one
  const Word* frontier = nullptr;                // bits of sources
  const Label* labels = nullptr;                 // of sources; null: their numbers
  const std::uint32_t* narrow_labels = nullptr;  // the same, where they are small enough: half of the cache
};

// Of 64 targets, by bit.
struct Answers {
  Word asked = 0;  // have a first neighbour
  Word found = 0;  // and it is in the frontier: their parents are written
};

enum class Vectors : std::uint8_t { none, avx2, avx512 };

Vectors vectors_of_processor();

// The place of the first of `count` sources in a list that is in the frontier, or `count`; sources count modulo
// mask + 1. Several are looked up at once, where one after the other would mostly guess wrong when to stop.
using FindInList = std::uint64_t (*)(const Vertex* list, std::uint64_t count, Vertex mask, const Word* frontier);
FindInList find_in_list(Vectors vectors);

// What is done for the 64 targets from `first` on, a multiple of 64.
template <typename Parent>
struct VectorKernels {
  Answers (*ask_first)(const FirstNeighbours& sources, std::uint64_t first, Word waiting, Parent* parents);
  void (*clear)(std::uint64_t first, Word targets, Parent* parents);  // -1

  static VectorKernels of(Vectors vectors);
};

}  // namespace brushfire::cpu
