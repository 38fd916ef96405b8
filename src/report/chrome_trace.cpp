// Complete events ("ph": "X") in one thread, so that a viewer nests them by their times alone: whatever is inside
// another event comes after it and ends no later. Perfetto counts whole nanoseconds, and drops an event that only
// overlaps another: times are rounded to them, both ends of an event alike, before a duration is taken, and written so
// that cutting 1000 times the number off, as its versions up to 2026 do, gives them back. Levels are
// placed one after the other from the start of their search; what a device's clock says of them may add up to a little
// more than the host measured, and is cut off there.
#include "report/json_document.hpp"

#include <brushfire/timeline.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace brushfire {

namespace {

class Events {
 public:
  explicit Events(double origin) : origin_(origin) {}

  void add(const std::string& name, const char* category, double started, double ended, Json arguments)
  {
    double const start = nanoseconds(started), end = nanoseconds(ended);
    events_.push_back({{"name", name},
                       {"cat", category},
                       {"ph", "X"},
                       {"ts", microseconds(start)},
                       {"dur", microseconds(end - start)},
                       {"pid", 1},
                       {"tid", 1},
                       {"args", std::move(arguments)}});
  }
  // What viewers call the process and its one thread.
  void name(const char* what, const std::string& called)
  {
    events_.push_back({{"name", what}, {"ph", "M"}, {"ts", 0}, {"pid", 1}, {"tid", 1}, {"args", {{"name", called}}}});
  }
  Json take() { return std::move(events_); }

 private:
  double nanoseconds(double moment) const { return std::round((moment - origin_) * 1e9); }
  // The next number above: 1.001 * 1000 is less than 1001.
  static double microseconds(double nanoseconds)
  {
    double const whole = nanoseconds / 1000;
    return whole == std::floor(whole) ? whole : std::nextafter(whole, std::numeric_limits<double>::infinity());
  }

  double origin_;
  Json events_ = Json::array();
};

void add_levels(Events& events, const SearchReport& search, bool plain)
{
  double at = *search.started;
  double const end = at + search.seconds;
  for (const LevelRecord& record : search.trace) {
    double const next = std::min(end, at + record.seconds);
    events.add(record.levels == 1 ? fmt::format("level {}", record.level)
                                  : fmt::format("levels {}-{}", record.level, record.level + record.levels - 1),
               "level", at, next,
               {{"direction", human_directions(record.directions, plain)},
                {"frontier", record.frontier},
                {"edges_checked", record.edges_checked},
                {"discovered", record.discovered},
                {"bytes_sent", record.bytes_sent},
                {"messages", record.messages}});
    at = next;
  }
}

void add_search(Events& events, const SearchReport& search, bool plain)
{
  if (search.started) {
    events.add(fmt::format("search from {}", search.root), "search", *search.started, *search.started + search.seconds,
               {{"nedge", search.nedge}, {"teps", search.teps}, {"reached", search.reached}, {"depth", search.depth}});
    add_levels(events, search, plain);
  }
  if (search.validation_started && search.validate_seconds)
    events.add("validation", "validation", *search.validation_started,
               *search.validation_started + *search.validate_seconds, {{"valid", search.valid.value_or(false)}});
}

double first_moment(const Report& report, std::span<const Stage> stages)
{
  double first = std::numeric_limits<double>::infinity();
  for (const Stage& stage : stages) first = std::min(first, stage.started);
  for (const SearchReport& search : report.searches) first = std::min(first, search.started.value_or(first));
  return first;
}

}  // namespace

std::string to_chrome_trace(const Report& report, std::span<const Stage> stages)
{
  Events events(first_moment(report, stages));
  events.name("process_name", "brushfire " + report.command);
  events.name("thread_name", report.graph.name.empty() ? "stages" : report.graph.name);
  for (const Stage& stage : stages) {
    Json arguments = Json::object();
    if (stage.done > 0) arguments[stage.unit] = stage.done;
    events.add(stage.name, "stage", stage.started, stage.started + stage.seconds, std::move(arguments));
  }
  for (const SearchReport& search : report.searches) add_search(events, search, !report.config.threshold);
  Json json = {{"displayTimeUnit", "ms"},
               {"otherData", {{"program", "brushfire " + version()}, {"command_line", report.command_line}}},
               {"traceEvents", events.take()}};
  return text_of(json);
}

}  // namespace brushfire
