// Matrix Market coordinate files (.mtx): a banner, a line of sizes, a line per entry. Entry (i, j) is the
// edge i -> j; values are ignored. Symmetric, skew-symmetric and hermitian matrices are written as one
// half: their tuples are listed both ways. Vertices are 1 ... n, whether or not an entry names them.
#pragma once

#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/progress.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace brushfire {

bool has_matrix_market_banner(std::span<const std::byte> bytes);

std::unique_ptr<EdgeSource> read_matrix_market(std::span<const std::byte> bytes, const std::string& name, Team team,
                                               Progress& progress);

}  // namespace brushfire
