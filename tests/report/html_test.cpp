// The page must be safe to open whatever a graph is called, and complete without a network.
#include "report/page_checks.hpp"
#include "report/sample_report.hpp"

#include <gtest/gtest.h>

namespace brushfire {

namespace {

using testing::balanced;
using testing::count_of;
using testing::needs_nothing_else;

TEST(ReportHtml, ShowsHeadlineChartAndTable)
{
  auto const html = to_html(testing::sample_report());
  EXPECT_TRUE(balanced(html));
  // Three searches of 16775818 edges in 1.75 seconds together.
  EXPECT_NE(html.find("<p class=\"headline\">28.8 MTEPS</p>"), std::string::npos);
  EXPECT_EQ(count_of(html, "<span class=\"tip\">root 10"), 3u);
  EXPECT_EQ(count_of(html, "<i class=\"plain\" style=\"height: 100.00%\">"), 1u);  // the fastest
  EXPECT_EQ(count_of(html, "<i class=\"plain\" style=\"height: 25.00%\">"), 1u);
  EXPECT_NE(html.find("<td>645820</td>"), std::string::npos);
  EXPECT_NE(html.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(html.find("name=\"viewport\""), std::string::npos);
}

TEST(ReportHtml, NeedsNothingElse) { needs_nothing_else(to_html(testing::full_report())); }

TEST(ReportHtml, EveryChartHasATable)
{
  auto const html = to_html(testing::full_report());
  EXPECT_TRUE(balanced(html));
  EXPECT_EQ(count_of(html, "class=\"plot\""), 4u);  // roots, levels, roofline, memory
  EXPECT_EQ(count_of(html, "<summary>Table</summary>"), 4u);
  EXPECT_EQ(html.find("nan"), std::string::npos);
  EXPECT_EQ(html.find("inf"), std::string::npos);
  EXPECT_NE(html.find(".mark:hover > .tip, .mark:focus > .tip { display: block; }"), std::string::npos);
}

TEST(ReportHtml, ShowsTheCommandTheMachineAndItsEnergy)
{
  auto const html = to_html(testing::full_report());
  for (auto const* part :
       {"brushfire graph500 20 --json &#39;a b.json&#39;", "Example CPU, 2 cores", "20 GB/s, by copying",
        "1 MTEPS per watt: 50 W, 2.5 J a search, over 40 searches; by package-0"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

// 55 entries of 4 bytes and 1048576 parents of 4 bytes in half a second, where 20 GB/s are possible.
TEST(ReportHtml, PlacesSearchesUnderTheRoofOfTheMemory)
{
  auto report = testing::full_report();
  EXPECT_NE(to_html(report).find("root 100: 33.6 MTEPS, 4 edges per byte, 0.00839 GB/s"), std::string::npos);
  auto contradictory = report;  // as only somebody else's file can be: speed without edges
  for (auto& search : contradictory.searches) search.nedge = 0;
  EXPECT_EQ(to_html(contradictory).find("edges per byte, "), std::string::npos);
  EXPECT_NE(to_html(contradictory).find("Not drawn: no search traversed an edge"), std::string::npos);
  for (auto& search : contradictory.searches) search.trace.clear();
  EXPECT_NE(to_html(contradictory).find("Not drawn: no search has levels"), std::string::npos);
  report.host.memory_bandwidth.reset();
  EXPECT_NE(to_html(report).find("Not drawn: the bandwidth of the memory was not measured"), std::string::npos);
  report.host.memory_bandwidth = 2e10;
  report.config.device = "cuda";  // which has a memory of its own
  EXPECT_NE(to_html(report).find("Not drawn: the bandwidth of the memory was not measured"), std::string::npos);
  report.config.device = "cpu";
  report.host.ranks = 2;
  EXPECT_NE(to_html(report).find("Not drawn: the memory of several ranks is not measured"), std::string::npos);
}

TEST(ReportHtml, EscapesWhateverComesFromOutside)
{
  auto report = testing::full_report();
  std::string const evil = "<script>alert('x')</script>&\"";
  report.graph.name = report.host.cpu = report.command = report.config.partition = evil;
  report.host.gpus = report.energy->counters = {evil};
  report.command_line = report.plan->items[0].what = report.plan->memory = evil;
  report.config.device = report.config.direction = evil;
  report.graph500->conforming = false;
  report.graph500->reasons = {evil};
  report.searches[0].valid = false;
  report.searches[0].violation = evil;
  auto const html = to_html(report);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("alert('"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"), std::string::npos);
  EXPECT_TRUE(balanced(html));
}

// Of the sample's searches the first is neither the fastest nor the slowest, and has a trace.
TEST(ReportHtml, ShowsTheLevelsOfTheMedianSearch)
{
  auto report = testing::sample_report();
  auto html = to_html(report);
  EXPECT_TRUE(balanced(html));
  EXPECT_NE(html.find("Levels of root 100,"), std::string::npos);
  EXPECT_NE(html.find("<td>dd pull dn pull nd pull nn push</td>"), std::string::npos);
  EXPECT_NE(html.find("level 0: push, 0 ms, frontier 1, 5 edges checked, 4 discovered"), std::string::npos);
  EXPECT_NE(html.find("sum of levels 1–7: dd pull dn pull nd pull nn push"), std::string::npos);
  EXPECT_EQ(html.find(">queue</th>"), std::string::npos);
  EXPECT_EQ(html.find(">balance</th>"), std::string::npos);

  report.searches[0].trace[0].queue = FrontierQueue::double_scan;
  html = to_html(report);
  EXPECT_TRUE(balanced(html));
  EXPECT_NE(html.find(">queue</th>"), std::string::npos);
  EXPECT_NE(html.find("<td>double-scan</td>"), std::string::npos);
  EXPECT_EQ(html.find(">balance</th>"), std::string::npos);

  report.searches[0].trace[1].balance = PullBalance::static_shares;
  html = to_html(report);
  EXPECT_NE(html.find("<td></td><td>static</td>"), std::string::npos);
  report.searches[0].trace[1].async_pull = false;
  EXPECT_NE(to_html(report).find("<td></td><td>static</td>"), std::string::npos);
  report.searches[0].trace[1].async_pull = true;
  EXPECT_NE(to_html(report).find("<td></td><td>static, async</td>"), std::string::npos);
}

// Every frontier of a path is one vertex, also where 32 levels share a record.
TEST(ReportHtml, LevelsThatShareABarAreShownByTheirMean)
{
  auto report = testing::sample_report();
  auto& trace = report.searches[0].trace;
  trace[1].levels = 1;
  EXPECT_EQ(to_html(report).find("share a bar"), std::string::npos);
  trace[1].levels = 32;
  trace[1].frontier = 32;
  auto const html = to_html(report);
  EXPECT_TRUE(balanced(html));
  for (auto const* part : {"frontier: up to 1, logarithmic", "up to 32 share a bar: it is as high as their mean",
                           "sum of levels 1–32: ", ", frontier 32, ", "<td>1–32</td><td>32</td>"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST(ReportHtml, StandsWithoutSearches)
{
  auto report = testing::sample_report();
  report.searches.clear();
  auto const html = to_html(report);
  EXPECT_TRUE(balanced(html));
  EXPECT_EQ(html.find("nan"), std::string::npos);
}

}  // namespace

}  // namespace brushfire
