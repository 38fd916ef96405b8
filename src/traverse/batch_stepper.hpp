// Up to 64 searches that go through a graph together, level by level: bit i of a vertex's word belongs to source i.
// One device with the whole graph; nobody to exchange anything with.
#pragma once

#include "base/bits.hpp"

#include <brushfire/batch_search.hpp>
#include <brushfire/trace.hpp>
#include <brushfire/types.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace brushfire {

static_assert(sources_per_batch == word_bits);

using SourceCounts = std::array<std::uint64_t, sources_per_batch>;

struct BatchStepperOptions {
  bool levels = false;
  std::optional<Direction> direction;
};

// What a level found.
struct FoundByBatch {
  SourceCounts vertices{};      // per source
  Word pushed = 0, pulled = 0;  // sources
  std::uint64_t checked = 0;    // list entries
};

class BatchStepper {
 public:
  virtual ~BatchStepper() = default;
  // Forgets the batch before; at least one source, at most 64. Each of them is found at level 0.
  virtual void start(std::span<const Vertex> sources) = 0;
  // Searches one level further.
  virtual FoundByBatch step() = 0;
  // By Vertex, the sources that found it in the last step, or start.
  virtual std::span<const Word> found_bits() = 0;
  // The levels of all steps so far, a row per source; one row after another.
  virtual void write_levels(std::span<std::int32_t> rows) = 0;
};

// The sources whose last level found anything: nobody else can find more.
inline Word still_searching(const SourceCounts& found)
{
  Word sources = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != 0) sources |= bit_of(i);
  return sources;
}

}  // namespace brushfire
