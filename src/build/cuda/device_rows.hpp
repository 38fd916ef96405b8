// The second half of a build on the device: the rows of one direction, slice after slice.
#pragma once

#include "base/saturating.hpp"
#include "build/cuda/device_layout.hpp"
#include "build/cuda/device_slots.hpp"
#include "build/layout.hpp"
#include "input/cuda/device_edges.hpp"

#include <brushfire/progress.hpp>

#include <cstdint>
#include <limits>

namespace brushfire {

struct RowsHold {  // what a tuple (u,v) adds
  bool at_source;  // v to the row of u
  bool at_target;  // u to the row of v
};

// A slice is never planned for fewer keys than this, or all there are; each slice costs a look at every tuple.
inline constexpr std::uint64_t least_keys = std::uint64_t{1} << 26;
inline constexpr std::uint64_t bytes_per_key = 16;  // the sort goes back and forth between two buffers
// Above what CUB asks for besides: 46 MiB to sort 2^28 keys and more, less for everything else.
inline constexpr std::uint64_t scratch_bytes = std::uint64_t{64} << 20;

[[noreturn]] void throw_overfull_base();  // its rows hold more entries than 32 bits count

inline std::uint64_t bases_of(std::uint64_t rows) { return (rows + rows_per_base - 1) / rows_per_base + 1; }

// Of finished rows, without their targets.
inline std::uint64_t predict_row_bytes(std::uint64_t rows, bool splits)
{
  return saturating_sum({bytes_of<std::uint32_t>(saturating_sum({rows, 1})), bytes_of<std::uint32_t>(splits ? rows : 0),
                         bytes_of<std::uint64_t>(bases_of(rows))});
}

// `tuples` are those at each Vertex that `hold` speaks of. A slice has at most `most_keys` entries, or one row.
DeviceAdjacency build_rows(const DeviceEdges& edges, const DeviceSlots& slots, RowsHold hold,
                           const device::Buffer<std::uint32_t>& tuples, std::uint64_t most_keys,
                           const device::Stream& stream, Progress& progress);
inline constexpr std::uint64_t as_many_keys_as_fit = std::numeric_limits<std::uint64_t>::max();

}  // namespace brushfire
