// Which format a file name means: the extension, behind which .gz or .zst may stand.
#pragma once

#include "input/compressed.hpp"

#include <filesystem>

namespace brushfire {

enum class Format { edge_list, weighted_edge_list, csv, tsv, matrix_market, dimacs, metis, serialized, unknown };

struct FileFormat {
  Format format = Format::unknown;
  Compression compression = Compression::none;
};

FileFormat format_of(const std::filesystem::path& path);

inline constexpr const char* format_names = ".bfg, or .el .wel .txt .csv .tsv .mtx .gr .graph .sg";

// Throws Error(usage) for a name that no writer knows.
void require_known_format(const std::filesystem::path& path);

}  // namespace brushfire
