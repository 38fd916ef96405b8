// The labels of some vertices, by index: a table, or consecutive numbers.
#pragma once

#include <brushfire/types.hpp>

namespace brushfire {

struct LabelsView {
  const Label* table = nullptr;  // null when labels are consecutive
  Label first = 0;
  Label operator()(Vertex v) const { return table != nullptr ? table[v] : first + v; }
};

}  // namespace brushfire
