// Graphs by formula, named by a short text: "kron:20", "grid:30x40", "star:7".
#pragma once

#include "input/edge_source.hpp"

#include <memory>
#include <string_view>

namespace brushfire {

// Throws Error(usage) for a malformed text, Error(memory) for sizes beyond any machine.
std::unique_ptr<EdgeSource> open_generator(std::string_view spec);

}  // namespace brushfire
