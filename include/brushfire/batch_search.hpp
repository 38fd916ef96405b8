// Many breadth-first searches at once: up to 64 sources share one pass over the graph, each as a bit of a word per
// vertex (MS-BFS; Then et al., VLDB 2015). Levels only: who needs parents, a target or a limit runs a Search.
#pragma once

#include <brushfire/graph.hpp>
#include <brushfire/trace.hpp>
#include <brushfire/types.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace brushfire {

inline constexpr std::size_t sources_per_batch = 64;  // more are searched batch after batch

struct BatchOptions {
  bool levels = false;                   // keep the level of every vertex for every source: 4 bytes each
  bool found_bits = false;               // tell the visitor of a level which vertices were found, not only how many
  std::optional<Direction> direction{};  // nothing: chosen per level, where that pays for each source by itself
  int threads = 0;                       // 0: every processor
  Device device = Device::automatic;
};

// What one batch found at one level, the sources themselves at level 0. Valid during the visit.
struct BatchLevel {
  std::size_t first_source = 0;          // of the batch, among those of the run
  std::int64_t level = 0;                // of what was found
  std::span<const std::uint64_t> found;  // vertices, for each source of the batch
  // By Vertex: bit i is set where source number first_source + i found it at this level. Empty unless asked for.
  std::span<const std::uint64_t> found_bits;
  std::uint64_t pushed = 0, pulled = 0;  // bits of the sources whose part of the level was searched so
  std::uint64_t edges_checked = 0;       // list entries looked at, for all sources together
};
using LevelVisitor = std::function<void(const BatchLevel&)>;

struct SourceResult {
  Label source = no_label;
  std::uint64_t reached = 0;  // the source included
  std::int64_t depth = 0;     // largest level
};

// Views into the BatchSearch that made it, or into the rows that were given to it: valid until its next run.
struct BatchResult {
  std::span<const SourceResult> sources;  // in the order they were given
  std::span<const std::int32_t> levels;   // row after row, a row per source, indexed by Vertex; empty unless asked for
  double seconds = 0;                     // visits included
  std::span<const std::int32_t> levels_of(std::size_t source) const
  {
    std::size_t const vertices = levels.size() / sources.size();
    return levels.subspan(source * vertices, vertices);
  }
};

// Owns the buffers for batches over one graph. The graph is one of a single device: one that is spread over several, or
// over ranks, is an Error(usage).
class BatchSearch {
 public:
  explicit BatchSearch(Graph graph, const BatchOptions& options = {});  // throws Error(memory) when it does not fit
  BatchSearch(BatchSearch&&) noexcept;
  BatchSearch& operator=(BatchSearch&&) noexcept;
  ~BatchSearch();

  // Any number of sources, the same one more than once if you like. Visits every level of every batch. Throws
  // Error(usage) for an unknown source, before anything is searched.
  BatchResult run(std::span<const Label> sources, const LevelVisitor& visit = {});
  // The same with the levels in memory of the caller's: a row of as many as the graph has vertices for each source, one
  // after another. Throws Error(usage) where `rows` has another size, or no levels were asked for.
  // require_room_for_rows() says beforehand whether they fit into memory: Error(memory) if not.
  void require_room_for_rows(std::size_t sources) const;
  BatchResult run_into(std::span<std::int32_t> rows, std::span<const Label> sources, const LevelVisitor& visit = {});

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace brushfire
#pragma GCC visibility pop
