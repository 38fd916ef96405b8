// GAP's serialized graphs (.sg), served straight from their bytes: a flag (directed), the number of
// entries, the number of vertices, offsets, neighbours; a directed graph has its inverse behind that.
// Everything is checked when it is opened, so that read() may trust every offset and every neighbour. A share has a
// part of the entries, and checks that part and as large a one of the offsets.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "input/file_share.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace brushfire {

std::unique_ptr<FileShare> read_serialized(Section<std::byte> bytes, const std::string& name, Team team,
                                           Share share = {});

// A share of a packed one: unpacked twice, once for its length, and only the tuples of the share are kept. Memory is
// divided among shares, time is not.
std::unique_ptr<FileShare> read_packed_serialized(std::span<const std::byte> packed, const std::string& name, Team team,
                                                  Share share);

}  // namespace brushfire
