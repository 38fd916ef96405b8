// The library hides every name that no public header shows. A header that forgets to would leave programs unlinked.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

TEST(PublicHeaders, ShowTheirNames)
{
  int headers = 0;
  for (auto const& entry : std::filesystem::directory_iterator(BRUSHFIRE_SOURCE_DIR "/include/brushfire")) {
    std::ifstream file(entry.path());
    std::string const text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    auto const shown = text.find("#pragma GCC visibility push(default)\n");
    auto const last_include = text.rfind("#include ");
    EXPECT_NE(shown, std::string::npos) << entry.path();
    EXPECT_LT(last_include == std::string::npos ? 0 : last_include, shown) << entry.path() << ": others are not ours";
    EXPECT_GT(text.find("#pragma GCC visibility pop\n", shown), shown) << entry.path();
    ++headers;
  }
  EXPECT_GT(headers, 10);
}

}  // namespace
