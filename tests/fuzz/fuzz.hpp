// What the fuzz targets share: a reader may refuse any bytes with an Error and accept any others; what it
// accepts must then be readable from end to end.
#pragma once

#include "input/edge_source.hpp"
#include "input/labels.hpp"

#include <brushfire/error.hpp>
#include <brushfire/progress.hpp>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace brushfire::fuzz {

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size)
{
  return std::as_bytes(std::span(data, size));
}

// Reads all tuples and maps their labels there and back.
inline void walk(const EdgeSource& source)
{
  std::vector<Edge> edges(source.facts().edges);
  source.read(0, edges);
  Labels const labels = Labels::of_source(source, Team{1});
  for (Edge const& edge : edges)
    for (Label const label : {edge.source, edge.target})
      if (labels.find(label) != labels.vertex(label) || labels.label(labels.vertex(label)) != label) std::abort();
}

template <typename Body>
int refuse_or_accept(Body&& body)
{
  try {
    body();
  } catch (Error const&) {
  }
  return 0;
}

}  // namespace brushfire::fuzz
