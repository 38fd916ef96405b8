// Edge lists: a line per edge, two vertex ids apart by blanks or a comma, further columns of numbers
// ignored, lines that start with # or % or // skipped. Labels are as written and nothing is declared:
// the vertices are those that occur.
#pragma once

#include "base/parallel.hpp"
#include "input/file_share.hpp"
#include "input/text_share.hpp"

#include <brushfire/progress.hpp>

#include <memory>

namespace brushfire {

// Whether the first line may name the columns, as in tables (.csv, .tsv).
enum class ColumnNames { none, allowed };

std::unique_ptr<FileShare> read_edge_list(const TextShare& text, ColumnNames column_names, Team team,
                                          Progress& progress);

}  // namespace brushfire
