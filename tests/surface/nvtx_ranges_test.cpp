// What a profiler gets to see of the program: nvtx_ranges.c stands in for one. It needs no GPU.
#include "surface/program.hpp"

#include <map>

namespace brushfire::testing {

namespace {

using Names = std::vector<std::string>;

class NvtxRangesTest : public ProgramTest {
 protected:
  // The ranges of the thread that runs the program, each with those around it.
  std::vector<Names> ranges_of(const Names& arguments) const
  {
    setenv("NVTX_INJECTION64_PATH", BRUSHFIRE_NVTX_INJECTION, 1);
    setenv("BRUSHFIRE_NVTX_RANGES", file("ranges").c_str(), 1);
    auto const outcome = run(arguments);
    unsetenv("NVTX_INJECTION64_PATH");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<Names> ranges;
    std::map<int, Names> open;  // of each thread
    for (auto const& line : lines_of(contents(file("ranges")))) {
      std::istringstream words(line);
      int thread = 0;
      std::size_t depth = 0;
      char kind = 0;
      words >> thread >> kind >> depth >> std::ws;
      Names& nested = open[thread];
      if (kind == '>') {
        EXPECT_EQ(depth, nested.size()) << line;
        nested.emplace_back(std::istreambuf_iterator<char>(words), std::istreambuf_iterator<char>());
        if (thread == 0) ranges.push_back(nested);
      } else {
        EXPECT_EQ(depth + 1, nested.size()) << line;
        nested.pop_back();
      }
    }
    for (auto const& [thread, nested] : open) EXPECT_TRUE(nested.empty()) << "left open by thread " << thread;
    return ranges;
  }
};

TEST_F(NvtxRangesTest, StandAroundStagesSearchesAndLevels)
{
  auto const ranges = ranges_of({"graph500", "8", "--roots", "2", "--device", "cpu", "-q"});
  std::string const stage = "searching and validating";
  EXPECT_EQ(std::count(ranges.begin(), ranges.end(), Names{"generating"}), 1);
  EXPECT_EQ(std::count(ranges.begin(), ranges.end(), Names{stage}), 1);
  EXPECT_EQ(std::count(ranges.begin(), ranges.end(), Names{"search"}), 1);  // to warm up
  EXPECT_EQ(std::count(ranges.begin(), ranges.end(), Names{stage, "search"}), 2);
  EXPECT_EQ(std::count(ranges.begin(), ranges.end(), Names{stage, "validation"}), 2);
  EXPECT_GE(std::count(ranges.begin(), ranges.end(), Names{stage, "search", "level"}), 6);
  for (auto const& range : ranges) {
    if (range.back() != "level") continue;
    EXPECT_TRUE(range.size() >= 2 && range[range.size() - 2] == "search");
  }
}

TEST_F(NvtxRangesTest, OfDevicesThatShareAGraphHaveEveryLevel)
{
  auto const ranges = ranges_of({"bfs", "path:6", "--source", "0", "--devices", "3", "--device", "cpu", "-q"});
  EXPECT_EQ(std::count(ranges.begin(), ranges.end(), Names{"search"}), 1);
  EXPECT_EQ(std::count(ranges.begin(), ranges.end(), Names{"search", "level"}), 6);
}

TEST_F(NvtxRangesTest, ManySourcesAreBatches)
{
  auto const ranges = ranges_of({"closeness", "path:99", "--sample", "65", "--device", "cpu", "-q"});
  EXPECT_EQ(std::count(ranges.begin(), ranges.end(), Names{"searching", "batch"}), 2);
}

}  // namespace

}  // namespace brushfire::testing
