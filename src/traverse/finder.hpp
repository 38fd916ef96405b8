// Until the search is over, a vertex that another device found has that device for a parent: a number below every
// label.
#pragma once

#include <brushfire/types.hpp>

namespace brushfire {

template <typename Parent>
constexpr Parent found_by(int device)
{
  return static_cast<Parent>(no_label - 1 - device);
}
constexpr bool is_finder(Label parent) { return parent < no_label; }
constexpr int finder_of(Label parent) { return static_cast<int>(no_label - 1 - parent); }

}  // namespace brushfire
