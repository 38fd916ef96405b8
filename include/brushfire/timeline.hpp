// What a program did when, for a viewer of timelines.
#pragma once

#include <brushfire/report.hpp>

#include <cstdint>
#include <span>
#include <string>

#pragma GCC visibility push(default)
namespace brushfire {

// One that a Progress was told of. Times are those of SearchReport::started.
struct Stage {
  std::string name;
  double started = 0;
  double seconds = 0;
  std::uint64_t done = 0;
  std::string unit{};
};

// In the Chrome trace format, which Perfetto and chrome://tracing open: a row of stages, in them each search and its
// validation, and in a search its levels. Searches that ran in another process, before --resume, are not in it.
std::string to_chrome_trace(const Report& report, std::span<const Stage> stages);

}  // namespace brushfire
#pragma GCC visibility pop
