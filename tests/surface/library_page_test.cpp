// docs/library.md shows nothing that is not in a program: every block of code stands, line by line, in the example of
// its language, and those are built and run against an installed tree (tests/installed).
#include "surface/program.hpp"

#include <gtest/gtest.h>

#include <map>

namespace brushfire::testing {
namespace {

TEST(LibraryPage, ShowsWhatTheExamplesRun)
{
  std::filesystem::path const tree = BRUSHFIRE_SOURCE_DIR;
  std::map<std::string, std::string> const examples{{"```cpp", contents(tree / "examples/embed/example.cpp")},
                                                    {"```c", contents(tree / "examples/embed/example.c")},
                                                    {"```python", contents(tree / "examples/embed/example.py")}};
  int blocks = 0;
  std::string block, language;
  for (auto const& line : lines_of(contents(tree / "docs/library.md"))) {
    if (!line.starts_with("```")) {
      block += line + "\n";
    } else if (language.empty()) {
      language = line;
      block.clear();
    } else {
      if (auto const example = examples.find(language); example != examples.end()) {
        EXPECT_NE(example->second.find(block), std::string::npos) << language << '\n' << block;
        ++blocks;
      }
      language.clear();
    }
  }
  EXPECT_GE(blocks, 6);
}

}  // namespace
}  // namespace brushfire::testing
