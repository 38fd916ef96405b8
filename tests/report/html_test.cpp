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
  EXPECT_EQ(count_of(html, "<rect "), 3u);
  EXPECT_EQ(count_of(html, "<title>root 10"), 3u);
  EXPECT_NE(html.find("<td>645820</td>"), std::string::npos);
  EXPECT_NE(html.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(html.find("name=\"viewport\""), std::string::npos);
}

TEST(ReportHtml, NeedsNothingElse) { needs_nothing_else(to_html(testing::sample_report())); }

TEST(ReportHtml, EscapesWhateverComesFromOutside)
{
  auto report = testing::sample_report();
  std::string const evil = "<script>alert('x')</script>&\"";
  report.graph.name = report.host.cpu = report.command = report.config.partition = evil;
  report.host.gpus = {evil};
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
  EXPECT_EQ(html.find("<th>queue</th>"), std::string::npos);
  EXPECT_EQ(html.find("<th>balance</th>"), std::string::npos);

  report.searches[0].trace[0].queue = FrontierQueue::double_scan;
  html = to_html(report);
  EXPECT_TRUE(balanced(html));
  EXPECT_NE(html.find("<th>queue</th>"), std::string::npos);
  EXPECT_NE(html.find("<td>double-scan</td>"), std::string::npos);
  EXPECT_EQ(html.find("<th>balance</th>"), std::string::npos);

  report.searches[0].trace[1].balance = PullBalance::static_shares;
  html = to_html(report);
  EXPECT_NE(html.find("<td></td><td>static</td>"), std::string::npos);
  report.searches[0].trace[1].async_pull = false;
  EXPECT_NE(to_html(report).find("<td></td><td>static</td>"), std::string::npos);
  report.searches[0].trace[1].async_pull = true;
  EXPECT_NE(to_html(report).find("<td></td><td>static, async</td>"), std::string::npos);
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
