// A viewer nests events by their times alone, so times must nest.
#include "report/sample_report.hpp"

#include <brushfire/timeline.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace brushfire {

namespace {

using Json = nlohmann::ordered_json;

std::vector<Json> events_of(const Json& trace, const std::string& category)
{
  std::vector<Json> found;
  for (auto const& event : trace["traceEvents"])
    if (event["cat"] == category) found.push_back(event);
  return found;
}

bool holds(const Json& outer, const Json& inner)
{
  constexpr double rounding = 1e-3;  // microseconds
  double const start = outer["ts"], end = start + outer["dur"].get<double>();
  double const inner_start = inner["ts"], inner_end = inner_start + inner["dur"].get<double>();
  return inner_start >= start - rounding && inner_end <= end + rounding;
}

TEST(ChromeTrace, StagesSearchesAndLevelsNest)
{
  auto const report = testing::full_report();
  std::vector<Stage> const stages{{"generating", 8, 1.5, 16777216, "edges"}, {"searching", 9.5, 12, 3, "searches"}};
  auto const trace = Json::parse(to_chrome_trace(report, stages));
  EXPECT_EQ(events_of(trace, "stage")[0]["ts"], 0);
  EXPECT_EQ(events_of(trace, "stage")[0]["dur"], 1.5e6);
  EXPECT_EQ(events_of(trace, "stage")[0]["args"]["edges"], 16777216);
  auto const searches = events_of(trace, "search"), levels = events_of(trace, "level");
  ASSERT_EQ(searches.size(), 3u);
  EXPECT_EQ(events_of(trace, "validation").size(), 3u);
  ASSERT_EQ(levels.size(), 2u);
  EXPECT_EQ(searches[0]["name"], "search from 100");
  EXPECT_EQ(searches[0]["ts"], 2e6);
  EXPECT_EQ(levels[1]["name"], "levels 1-7");
  EXPECT_EQ(levels[1]["args"]["direction"], "dd pull dn pull nd pull nn push");
  for (auto const& search : searches) EXPECT_TRUE(holds(events_of(trace, "stage")[1], search)) << search;
  for (auto const& level : levels) EXPECT_TRUE(holds(searches[0], level)) << level;
  EXPECT_EQ(levels[1]["ts"].get<double>(), levels[0]["ts"].get<double>() + levels[0]["dur"].get<double>());
  for (auto const& event : trace["traceEvents"]) {
    EXPECT_EQ(event["ph"], "X");
    EXPECT_GE(event["ts"].get<double>(), 0);
    EXPECT_GE(event["dur"].get<double>(), 0);
  }
}

TEST(ChromeTrace, LevelsThatAddUpToMoreThanTheirSearchAreCutOff)
{
  auto report = testing::full_report();
  report.searches[0].trace[1].seconds = 5;
  auto const trace = Json::parse(to_chrome_trace(report, {}));
  for (auto const& level : events_of(trace, "level")) EXPECT_TRUE(holds(events_of(trace, "search")[0], level)) << level;
}

TEST(ChromeTrace, WhatRanElsewhereIsNotInIt)
{
  auto report = testing::full_report();
  for (SearchReport& search : report.searches) search.started = search.validation_started = std::nullopt;
  EXPECT_EQ(Json::parse(to_chrome_trace(report, {}))["traceEvents"].size(), 0u);
}

}  // namespace

}  // namespace brushfire
