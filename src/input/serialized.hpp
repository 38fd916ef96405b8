// GAP's serialized graphs (.sg), served straight from their bytes: a flag (directed), the number of
// entries, the number of vertices, offsets, neighbours; a directed graph has its inverse behind that.
// Everything is checked when it is opened, so that read() may trust every offset and every neighbour.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace brushfire {

std::unique_ptr<EdgeSource> read_serialized(Section<std::byte> bytes, const std::string& name, Team team);

}  // namespace brushfire
