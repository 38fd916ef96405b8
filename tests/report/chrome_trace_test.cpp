// What the trace-event format asks of every event, and what Perfetto makes of them: it counts whole nanoseconds, nests
// events by their times alone, and drops one that only overlaps another.
#include "report/sample_report.hpp"

#include <brushfire/timeline.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace brushfire {

namespace {

using Json = nlohmann::ordered_json;

std::vector<Json> events_of(const Json& trace, const std::string& category)
{
  std::vector<Json> found;
  for (auto const& event : trace["traceEvents"])
    if (event.value("cat", "") == category) found.push_back(event);
  return found;
}

// Perfetto rounds since 2026; before, it cut off, and read the digits after the point by themselves.
std::int64_t nanoseconds(const Json& microseconds)
{
  double const value = microseconds.get<double>();
  auto const rounded = std::llround(value * 1000);
  EXPECT_EQ(static_cast<std::int64_t>(value * 1000), rounded) << microseconds;
  std::string const text = microseconds.dump();
  auto const point = text.find('.');
  EXPECT_EQ(text.find('e'), std::string::npos) << text;
  if (point != std::string::npos) {
    EXPECT_EQ(std::stoll(text) * 1000 + static_cast<std::int64_t>(std::stod("0" + text.substr(point)) * 1000), rounded)
        << text;
  }
  return rounded;
}
std::int64_t start_of(const Json& event) { return nanoseconds(event["ts"]); }
std::int64_t end_of(const Json& event) { return start_of(event) + nanoseconds(event["dur"]); }

bool holds(const Json& outer, const Json& inner)
{
  return start_of(inner) >= start_of(outer) && end_of(inner) <= end_of(outer);
}

// Goes through the events of the one thread as Perfetto does: in the order of time, those of a moment as they stand.
void expect_nested(const Json& trace)
{
  std::vector<Json> events;
  for (auto const& event : trace["traceEvents"])
    if (event["ph"] == "X") events.push_back(event);
  std::stable_sort(events.begin(), events.end(),
                   [](const Json& a, const Json& b) { return start_of(a) < start_of(b); });
  std::vector<std::int64_t> open;
  for (auto const& event : events) {
    while (!open.empty() && open.back() <= start_of(event)) open.pop_back();
    if (!open.empty()) {
      EXPECT_LE(end_of(event), open.back()) << event;
    }
    open.push_back(end_of(event));
  }
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
  expect_nested(trace);
}

TEST(ChromeTrace, EventsHaveWhatTheFormatAsksFor)
{
  auto const trace = Json::parse(to_chrome_trace(testing::full_report(), std::vector<Stage>{{"one", 8, 9, 0, ""}}));
  ASSERT_TRUE(trace.is_object());
  ASSERT_TRUE(trace["traceEvents"].is_array());
  EXPECT_TRUE(trace["displayTimeUnit"] == "ms" || trace["displayTimeUnit"] == "ns");
  std::map<std::string, std::string> names;
  for (auto const& event : trace["traceEvents"]) {
    EXPECT_TRUE(event["name"].is_string()) << event;
    EXPECT_TRUE(event["pid"].is_number_integer()) << event;
    EXPECT_TRUE(event["tid"].is_number_integer()) << event;
    EXPECT_TRUE(event["args"].is_object()) << event;
    EXPECT_GE(event["ts"].get<double>(), 0);
    if (event["ph"] == "M") {
      names[event["name"]] = event["args"]["name"];
      continue;
    }
    EXPECT_EQ(event["ph"], "X");
    EXPECT_FALSE(event["cat"].get<std::string>().empty());
    EXPECT_GE(event["dur"].get<double>(), 0);
  }
  EXPECT_EQ(names, (std::map<std::string, std::string>{{"process_name", "brushfire graph500"},
                                                       {"thread_name", testing::full_report().graph.name}}));
}

// Sums that no double holds, one level after another to the end of their search.
TEST(ChromeTrace, NestsToTheNanosecond)
{
  auto report = testing::full_report();
  SearchReport& search = report.searches[0];
  LevelRecord const record = search.trace[0];
  search.started = 1e6 / 3;
  search.seconds = 0;
  search.trace.clear();
  for (int i = 0; i < 1000; ++i) {
    auto& level = search.trace.emplace_back(record);
    level.level = i;
    level.seconds = 1e-4 / (3 + i % 7);
    search.seconds += level.seconds;
  }
  search.validation_started = *search.started + search.seconds;
  search.validate_seconds = 0.1 / 3;
  report.searches.resize(1);
  std::vector<Stage> const stages{
      {"searching", *search.started, search.seconds + *search.validate_seconds, 1, "searches"}};
  auto const trace = Json::parse(to_chrome_trace(report, stages));
  EXPECT_EQ(events_of(trace, "level").size(), 1000u);
  expect_nested(trace);
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
  EXPECT_EQ(Json::parse(to_chrome_trace(report, {}))["traceEvents"].size(), 2u);  // two names
}

}  // namespace

}  // namespace brushfire
