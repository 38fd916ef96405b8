// Parents of a search in blocks by their labels, when its last level is done.
#pragma once

#include "base/labels_view.hpp"
#include "build/block.hpp"
#include "exchange/exchange.hpp"

#include <brushfire/types.hpp>

#include <cstdint>
#include <span>

namespace brushfire {

inline constexpr FarVertex no_parent = ~FarVertex{0};

// The labels of `parents`, by place, which may be the same place; where a device knows only its own labels, others are
// asked. Every device calls it.
void name_parents(std::span<const FarVertex> parents, DealtLabelsView labels, Exchange& exchange,
                  std::span<Label> names);

// Instead of any parent the one with the smallest label, of all neighbours one level up. `levels` and `names` are those
// of the own vertices; the root keeps its own. Every device calls it.
void choose_smallest_parents(const Block& block, std::span<const std::int32_t> levels, DealtLabelsView labels,
                             Exchange& exchange, std::span<Label> names);

}  // namespace brushfire
