// The labels of some vertices, by index: a table, or consecutive numbers; every so many of them where vertices are
// dealt out to several devices.
#pragma once

#include "base/dealing.hpp"

#include <brushfire/types.hpp>

namespace brushfire {

// -1, which is no label, counts as larger than any.
constexpr Label smaller_label(Label a, Label b)
{
  return static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b) ? a : b;
}

struct LabelsView {
  const Label* table = nullptr;  // null when labels are consecutive
  Label first = 0;
  std::uint32_t stride = 1;
  constexpr Label operator()(Vertex v) const
  {
    std::uint64_t const index = std::uint64_t{v} * stride;
    return table != nullptr ? table[index] : first + static_cast<Label>(index);
  }
};

// The labels of vertices that are dealt out to devices.
struct DealtLabelsView {
  const Label* table = nullptr;
  Label first = 0;
  Dealing dealing;
  bool own_only = false;  // of one device, which knows no others
  constexpr LabelsView of(int device) const
  {
    if (own_only) return {table, first, 1};
    auto const number = static_cast<std::uint64_t>(device);
    std::uint64_t const skipped = dealing.bounds != nullptr ? dealing.bounds[number] : number;
    // Wraps around only where the device has no vertex.
    auto const first_there = static_cast<Label>(static_cast<std::uint64_t>(first) + skipped);
    return {table != nullptr ? table + skipped : nullptr, first_there, dealing.bounds != nullptr ? 1 : dealing.devices};
  }
};

}  // namespace brushfire
