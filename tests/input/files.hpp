// What the tests of readers and writers share: a folder that vanishes with the test, files made from
// text, all tuples of a source, and the error that a call ends in.
#pragma once

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "input/edge_source.hpp"

#include <brushfire/error.hpp>
#include <brushfire/progress.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace brushfire::testing {

class TemporaryFolder {
 public:
  TemporaryFolder()
  {
    std::string name = (std::filesystem::temp_directory_path() / "brushfire-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::filesystem::path make(const std::string& name, std::string_view content) const
  {
    std::ofstream file(path_ / name, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    return path_ / name;
  }
  bool is_empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& path)
{
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

// Bytes of exactly the length of `text`, in memory of their own, so that a reader that looks behind their
// end is caught by a sanitizer.
inline Section<std::byte> bytes_of(std::string_view text)
{
  auto const owner = std::make_shared<std::vector<std::byte>>(text.size());
  std::transform(text.begin(), text.end(), owner->begin(), [](char c) { return static_cast<std::byte>(c); });
  return Section<std::byte>(std::span<const std::byte>(*owner), owner);
}

inline std::vector<Edge> edges_of(const EdgeSource& source)
{
  std::vector<Edge> edges(source.facts().edges);
  source.read(0, edges);
  return edges;
}

// Of a format that says how many vertices there are, from 1 on.
inline void expect_edges_of(const EdgeSource& source, std::uint64_t vertices, const std::vector<Edge>& expected)
{
  EXPECT_EQ(edges_of(source), expected);
  ASSERT_TRUE(source.facts().declared.has_value());
  EXPECT_EQ(source.facts().declared->first, 1);
  EXPECT_EQ(source.facts().declared->count, vertices);
}

// The kind and the line of the Error that a call throws; "" when it throws none.
struct Outcome {
  ErrorKind kind = ErrorKind::failure;
  std::string line;
};

template <typename Call>
Outcome outcome_of(Call&& call)
{
  try {
    call();
  } catch (Error const& error) {
    return {error.kind(), error.what()};
  }
  return {};
}

// Expects Error(kind) whose one line contains `part`.
template <typename Call>
void expect_error(ErrorKind kind, std::string_view part, Call&& call)
{
  Outcome const outcome = outcome_of(call);
  ASSERT_NE(outcome.line, "") << "no error; expected: " << part;
  EXPECT_EQ(outcome.kind, kind) << outcome.line;
  EXPECT_NE(outcome.line.find(part), std::string::npos) << outcome.line << "\ndoes not contain: " << part;
  EXPECT_EQ(outcome.line.find('\n'), std::string::npos) << outcome.line;
}

// Remembers the remarks.
class Notes : public Progress {
 public:
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void advance(std::uint64_t) override {}
  void end() override {}
  void note(std::string_view message) override { all.emplace_back(message); }

  std::vector<std::string> all;
};

}  // namespace brushfire::testing
