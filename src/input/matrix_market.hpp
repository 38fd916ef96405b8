// Matrix Market coordinate files (.mtx): a banner, a line of sizes, a line per entry. Entry (i, j) is the
// edge i -> j; values are ignored. Symmetric, skew-symmetric and hermitian matrices are written as one
// half: their tuples are listed both ways. Vertices are 1 ... n, whether or not an entry names them.
#pragma once

#include "base/parallel.hpp"
#include "input/file_share.hpp"
#include "input/text_share.hpp"

#include <brushfire/progress.hpp>

#include <memory>
#include <string_view>

namespace brushfire {

bool has_matrix_market_banner(std::string_view text);

std::unique_ptr<FileShare> read_matrix_market(const TextShare& text, Team team, Progress& progress);

}  // namespace brushfire
