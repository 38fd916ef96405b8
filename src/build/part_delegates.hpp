// What devices agree on before they build their parts, wherever these are built: the threshold, and the delegates of
// all, numbered alike everywhere. Every device calls these.
#pragma once

#include "base/buffer.hpp"
#include "build/degrees.hpp"
#include "build/part.hpp"
#include "exchange/exchange.hpp"

#include <cstdint>
#include <vector>

namespace brushfire {

// The degrees of all vertices, of which each device has its own; and the threshold for them.
DegreeHistogram degrees_of_all(DegreeHistogram own, Exchange& exchange);
std::uint64_t agree_on_threshold(DegreeHistogram own, Exchange& exchange);

// Every device tells all others of its delegates; all rank them alike, by falling degree and index in blocks by home.
// Throws Error(memory) where the device cannot number them beside its own `vertices`.
Delegates agree_on_delegates(const std::vector<Delegates::Member>& own, Vertex vertices, Exchange& exchange);

// By rank, the number of each delegate that lives on `device`, no_vertex elsewhere.
Section<Vertex> numbers_at_home(const Delegates& delegates, int device);

}  // namespace brushfire
