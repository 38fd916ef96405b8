// The stored tuple list of a conforming Graph500 run: 12 bytes a tuple, 48 bits a label, in memory or in a file that
// has no name and vanishes with the program.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/progress.hpp>

#include <cstddef>
#include <cstdint>

namespace brushfire {

enum class TupleHome { memory, file };

class PackedEdges final : public EdgeSource {
 public:
  static constexpr std::uint64_t bytes_per_edge = 12;

  PackedEdges(const EdgeSource& source, TupleHome home, Team team, Progress& progress);
  ~PackedEdges() override;
  void read(std::uint64_t first, std::span<Edge> out) const override;

 private:
  Buffer<std::byte> memory_;
  int file_ = -1;
};

// Short lists stay in memory. Long ones go to a file where the disk has room: the page cache serves them as fast,
// and they do not compete with the graph for memory.
TupleHome choose_tuple_home(std::uint64_t edges);

}  // namespace brushfire
