// The block is compared byte for byte: other people's scripts read it.
#include "report/sample_report.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace brushfire {

namespace {

std::string golden(const char* name)
{
  std::ifstream file(std::filesystem::path(__FILE__).parent_path() / "golden" / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Graph500Block, IsTheReferenceBlock)
{
  EXPECT_EQ(graph500_block(testing::sample_report()), golden("graph500_block.txt"));
}

TEST(Graph500Block, SkippedValidationIsMinusOne)
{
  auto report = testing::sample_report();
  for (auto& search : report.searches) search.valid.reset(), search.validate_seconds.reset();
  report.graph500->conforming = false;
  report.graph500->reasons = {"32-bit parents", "tuples generated twice"};
  EXPECT_EQ(graph500_block(report), golden("graph500_block_compact.txt"));
}

TEST(Graph500Block, NeverPrintsWhatIsNotANumber)
{
  auto report = testing::sample_report();
  report.searches.resize(1);
  auto const one = graph500_block(report);
  EXPECT_NE(one.find("bfs  stddev_time:               0\n"), std::string::npos);
  EXPECT_NE(one.find("bfs  harmonic_stddev_TEPS:      0\n"), std::string::npos);
  report.searches.clear();
  for (auto const& text : {one, graph500_block(report)}) {
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_EQ(text.find("inf"), std::string::npos);
  }
}

}  // namespace

}  // namespace brushfire
