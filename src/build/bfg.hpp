// The .bfg file: a built layout as it stands in memory, so that opening is mapping. Header, section table and length
// are checked when it is opened, the sections' checksums when somebody asks; in between, altered contents can make
// answers wrong but never reach outside the arrays (see SubgraphView).
#pragma once

#include "base/mapped_file.hpp"
#include "base/parallel.hpp"
#include "build/layout.hpp"
#include "input/labels.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace brushfire {

struct BfgCounts {
  std::uint64_t edges_input = 0;
  std::uint64_t self_loops = 0;
  std::array<std::uint64_t, subgraph_count> entries{};
};

struct BfgGraph {
  Layout layout;  // views into the mapping
  Labels labels;
  BfgCounts counts;
  std::shared_ptr<const MappedFile> file;
};

bool is_bfg(const std::filesystem::path& path);  // by its first bytes

void write_bfg(const std::filesystem::path& path, const Layout& layout, const Labels& labels, const BfgCounts& counts);
BfgGraph open_bfg(const std::filesystem::path& path);  // throws Error(input)
void verify_bfg(const MappedFile& file, Team team);    // throws Error(input) naming the damaged section

}  // namespace brushfire
