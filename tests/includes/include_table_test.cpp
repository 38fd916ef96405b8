// The table of DESIGN.md ("may not include"), checked against every #include line of the tree. A row names a folder
// and the beginnings of what its files may not include; the checker itself is tested on made-up files.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct SourceFile {
  std::string path;  // relative to the repository
  std::string text;
};

struct Row {
  std::string folder;
  std::vector<std::string> forbidden;  // beginnings of what stands between the quotes or brackets
  bool exchange_interface = false;     // the interface of exchange is allowed all the same
};

bool starts_with_any(const std::string& text, const std::vector<std::string>& beginnings)
{
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& beginning) { return text.starts_with(beginning); });
}

std::vector<std::string> joined(std::vector<std::string> list, const std::vector<std::string>& more)
{
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

const std::vector<std::string> rooms{"base/",     "device/",   "input/",  "build/", "traverse/",
                                     "exchange/", "validate/", "report/", "engine/"};
const std::vector<std::string> cuda{"cuda", "cub/", "thrust/", "cooperative_groups", "nvtx3/"};
const std::vector<std::string> wires{"mpi", "nccl"};

std::vector<std::string> rooms_but(const std::vector<std::string>& allowed)
{
  std::vector<std::string> others;
  for (const auto& room : rooms)
    if (std::find(allowed.begin(), allowed.end(), room) == allowed.end()) others.push_back(room);
  return others;
}

const std::vector<Row>& table()
{
  static const std::vector<Row> rows{
      {"src/base/", joined(joined(rooms_but({"base/"}), cuda), wires)},
      {"src/device/", joined(rooms_but({"base/", "device/"}), wires)},
      {"src/input/", joined({"traverse/", "report/", "exchange/", "engine/"}, wires), true},
      {"src/build/", joined({"traverse/", "report/", "exchange/", "engine/"}, wires), true},
      {"src/traverse/", joined({"input/", "report/", "exchange/", "engine/"}, wires), true},
      {"src/exchange/",
       {"traverse/", "validate/", "report/", "engine/", "brushfire/search", "brushfire/graph", "brushfire/trace"}},
      {"src/validate/", {"traverse/", "build/", "engine/", "brushfire/search", "brushfire/graph"}},
      {"src/report/", joined(rooms_but({"base/", "report/"}), {"brushfire/graph", "brushfire/search"})},
      {"surface/", rooms},
      {"include/", joined(joined(rooms, cuda), wires)},
  };
  return rows;
}

struct Include {
  std::string target;
  bool quoted;
  std::size_t line;
};

std::vector<Include> includes_of(const std::string& text)
{
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<Include> includes;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) includes.push_back({match[2], match[1] == "\"", number});
  }
  return includes;
}

// Includes go by room ("base/bits.hpp" from src/), or to a file beside the one that includes it; public headers
// name each other as their users do.
bool badly_spelled(const SourceFile& file, const Include& include)
{
  return include.target.find("..") != std::string::npos || (file.path.starts_with("include/") && include.quoted);
}

bool allowed_exception(const Row& row, const Include& include)
{
  static const std::vector<std::string> headers{"exchange/exchange.hpp", "exchange/bins.hpp",
                                                "exchange/gather.hpp",   "exchange/sum_over_devices.hpp",
                                                "exchange/schedule.hpp", "exchange/cuda/device_pieces.hpp"};
  return row.exchange_interface && std::find(headers.begin(), headers.end(), include.target) != headers.end();
}

std::vector<std::string> violations(const std::vector<SourceFile>& files)
{
  static const std::regex nameless(R"((^|/)(utils?|common|misc)/)");
  std::vector<std::string> found;
  for (const auto& file : files) {
    if (std::regex_search(file.path, nameless)) found.push_back(file.path + ": a room without a purpose in its name");
    for (const auto& include : includes_of(file.text)) {
      auto const breaks = [&](const Row& row) {
        return file.path.starts_with(row.folder) && starts_with_any(include.target, row.forbidden) &&
               !allowed_exception(row, include);
      };
      if (badly_spelled(file, include) || std::any_of(table().begin(), table().end(), breaks))
        found.push_back(file.path + ":" + std::to_string(include.line) + " may not include " + include.target);
    }
  }
  return found;
}

std::vector<SourceFile> files_of_the_tree()
{
  std::vector<SourceFile> files;
  fs::path const tree = BRUSHFIRE_SOURCE_DIR;
  for (const char* folder : {"src", "surface", "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator(tree / folder)) {
      if (!entry.is_regular_file()) continue;
      static const std::regex code(R"(.*\.(h|hpp|c|cpp|cu|cuh|in))");
      if (!std::regex_match(entry.path().filename().string(), code)) continue;
      std::ifstream stream(entry.path());
      files.push_back({entry.path().lexically_relative(tree).generic_string(),
                       {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()}});
    }
  }
  return files;
}

TEST(IncludeTable, TheTreeKeepsIt)
{
  auto const files = files_of_the_tree();
  EXPECT_GT(files.size(), 30u);
  for (const auto& violation : violations(files)) ADD_FAILURE() << violation;
}

TEST(IncludeTable, EveryRowRefusesSomething)
{
  struct Bad {
    const char* path;
    const char* line;
  };
  for (Bad const& bad : std::initializer_list<Bad>{
           {"src/base/bits.hpp", "#include \"input/labels.hpp\""},
           {"src/base/bits.hpp", "#include <cuda_runtime.h>"},
           {"src/base/bits.hpp", "#include <mpi.h>"},
           {"src/base/bits.hpp", "#include \"exchange/exchange.hpp\""},
           {"src/base/bits.hpp", "#include \"device/buffer.hpp\""},
           {"src/device/a.cu", "#include \"build/cuda/rows_view.cuh\""},
           {"src/device/a.hpp", "#include \"traverse/policy.hpp\""},
           {"src/device/a.cu", "#include <nccl.h>"},
           {"src/input/a.cpp", "#include \"traverse/policy.hpp\""},
           {"src/input/a.cpp", "#include \"report/json.hpp\""},
           {"src/build/a.cpp", "  #  include \"traverse/cpu/push.hpp\""},
           {"src/build/a.cpp", "#include \"exchange/mpi_transport.hpp\""},
           {"src/traverse/a.cpp", "#include \"input/edge_source.hpp\""},
           {"src/traverse/cuda/a.cu", "#include <nccl.h>"},
           {"src/traverse/a.cpp", "#include \"exchange/ring.hpp\""},
           {"src/exchange/a.cpp", "#include \"traverse/policy.hpp\""},
           {"src/exchange/a.cpp", "#include <brushfire/search.hpp>"},
           {"src/validate/a.cpp", "#include \"traverse/policy.hpp\""},
           {"src/validate/a.cpp", "#include \"build/order.hpp\""},
           {"src/report/a.cpp", "#include <brushfire/graph.hpp>"},
           {"src/report/a.cpp", "#include \"build/csr.hpp\""},
           {"src/build/a.cpp", "#include \"engine/graph_data.hpp\""},
           {"src/build/a.cpp", "#include \"../traverse/policy.hpp\""},
           {"surface/cli/main.cpp", "#include \"engine/graph_data.hpp\""},
           {"surface/c/a.cpp", "#include <base/error.hpp>"},
           {"surface/cli/main.cpp", "#include \"../../src/base/error.hpp\""},
           {"include/brushfire/graph.hpp", "#include \"base/bits.hpp\""},
           {"include/brushfire/graph.hpp", "#include \"graph_data.hpp\""},
           {"include/brushfire/graph.hpp", "#include <mpi.h>"},
           {"include/brushfire/graph.hpp", "#include <nccl.h>"},
           {"include/brushfire/graph.hpp", "#include <cuda/std/span>"},
           {"src/utils/strings.hpp", ""},
           {"src/traverse/common/a.hpp", ""},
           {"src/misc/a.hpp", ""},
       })
    EXPECT_EQ(violations({{bad.path, std::string("#pragma once\n") + bad.line}}).size(), 1u)
        << bad.path << ' ' << bad.line;
}

TEST(IncludeTable, WhatIsAllowedPasses)
{
  EXPECT_EQ(violations({
                {"src/base/bits.hpp", "#include <atomic>\n#include \"base/error.hpp\"\n"},
                {"src/device/gpus.cu",
                 "#include \"base/bits.hpp\"\n#include <cuda_runtime.h>\n#include <brushfire/error.hpp>\n"},
                {"src/build/cuda/layout.cu", "#include \"device/launch.cuh\"\n#include <cub/cub.cuh>\n"},
                {"src/input/labels.hpp", "#include \"base/bits.hpp\"\n#include <brushfire/types.hpp>\n"},
                {"src/traverse/loop.cpp", "#include \"exchange/exchange.hpp\"\n#include \"build/csr.hpp\"\n"},
                {"src/validate/validate.cpp", "#include \"input/labels.hpp\"\n"},
                {"src/report/json.cpp", "#include <brushfire/report.hpp>\n#include <nlohmann/json.hpp>\n"},
                {"src/engine/engine.cpp", "#include \"traverse/loop.hpp\"\n#include \"report/json.hpp\"\n"},
                {"surface/cli/main.cpp", "#include \"commands.hpp\"\n#include <brushfire/search.hpp>\n"},
                {"include/brushfire/graph.hpp", "#include <brushfire/types.hpp>\n#include <vector>\n"},
            }),
            std::vector<std::string>{});
}

TEST(IncludeTable, NamesFileAndLine)
{
  EXPECT_EQ(violations({{"src/base/a.hpp", "// one\n#include <mpi.h>\n"}}),
            std::vector<std::string>{"src/base/a.hpp:2 may not include mpi.h"});
}

}  // namespace
