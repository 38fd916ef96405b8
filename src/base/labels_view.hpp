// The labels of some vertices, by index: a table, or consecutive numbers; every so many of them where vertices are
// dealt out to several devices.
#pragma once

#include <brushfire/types.hpp>

namespace brushfire {

struct LabelsView {
  const Label* table = nullptr;  // null when labels are consecutive
  Label first = 0;
  std::uint32_t stride = 1;
  Label operator()(Vertex v) const
  {
    std::uint64_t const index = std::uint64_t{v} * stride;
    return table != nullptr ? table[index] : first + static_cast<Label>(index);
  }
};

}  // namespace brushfire
