// What a writer needs to know of a simple graph (no self-loops, no duplicates), whoever holds it.
#pragma once

#include "input/labels.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace brushfire {

class GraphListing {
 public:
  virtual ~GraphListing() = default;
  virtual const Labels& labels() const = 0;
  virtual bool directed() const = 0;
  virtual std::uint64_t entries() const = 0;  // directed entries: an undirected edge counts twice
  // Out-neighbours of a vertex by rising index, into `out` (cleared first). Callable from many threads.
  virtual void neighbours(Vertex vertex, std::vector<Vertex>& out) const = 0;
  // In-neighbours; the same as neighbours() of an undirected graph.
  virtual void sources(Vertex vertex, std::vector<Vertex>& out) const = 0;
};

}  // namespace brushfire
