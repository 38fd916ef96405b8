// The bar is one line: stage, bar, percent, rate, time left, cut to the width of the terminal so that it
// never wraps. It has no colour.
#include "progress.hpp"

#include "terminal.hpp"

#include <brushfire/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace brushfire::cli {

namespace {

constexpr double seconds_between_draws = 0.1;
constexpr double seconds_before_first_draw = 0.2;  // short stages do not flicker
constexpr int bar_width = 20;

std::string human_seconds(double seconds)
{
  auto const whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

// A lost message is no reason to stop: a closed stderr is ignored.
void put(std::string_view text)
{
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

StageProgress::StageProgress(const MessageOptions& options) : notes_(!options.quiet)
{
  if (options.quiet || options.no_progress)
    mode_ = Mode::silent;
  else
    mode_ = can_redraw() ? Mode::bar : Mode::lines;
}

StageProgress::~StageProgress() { hide(); }

void StageProgress::begin(std::string_view stage, std::uint64_t total, std::string_view unit)
{
  if (!stage_.empty()) end();
  stage_ = stage;
  unit_ = unit;
  total_ = total;
  done_ = 0;
  start_ = Clock::now();
  next_draw_ = seconds_before_first_draw;
}

void StageProgress::advance(std::uint64_t done)
{
  done_.fetch_add(done, std::memory_order_relaxed);
  if (mode_ != Mode::bar) return;
  double const now = seconds();
  double due = next_draw_.load(std::memory_order_relaxed);
  // Of all threads that come too late for the last drawing, the one that moves the time draws.
  if (now >= due && next_draw_.compare_exchange_strong(due, now + seconds_between_draws)) draw();
}

void StageProgress::draw()
{
  std::lock_guard const lock(drawing_);
  double const elapsed = seconds();
  auto const done = static_cast<double>(done_.load(std::memory_order_relaxed));
  double const rate = elapsed > 0 ? done / elapsed : 0;
  std::string line = fmt::format("{:<16} ", stage_);
  if (total_ > 0) {
    double const share = std::min(1.0, done / static_cast<double>(total_));
    auto const filled = static_cast<std::size_t>(share * bar_width);
    line += fmt::format("[{:.<{}}] {:3.0f} %  ", std::string(filled, '#'), bar_width, share * 100);
  }
  line += fmt::format("{} {}/s", human_count(rate), unit_);
  if (total_ > 0 && rate > 0)
    line += fmt::format("  {} left", human_seconds(std::max(0.0, static_cast<double>(total_) - done) / rate));
  put("\r\x1b[K" + line.substr(0, terminal_columns() - 1));
  drawn_ = true;
}

void StageProgress::hide()
{
  std::lock_guard const lock(drawing_);
  if (drawn_) put("\r\x1b[K");
  drawn_ = false;
}

void StageProgress::end()
{
  hide();
  if (!stage_.empty()) {
    double const started = std::chrono::duration<double>(start_.time_since_epoch()).count();
    stages_.push_back({stage_, started, seconds(), done_.load(), unit_});
  }
  if (mode_ == Mode::lines && !stage_.empty()) {
    auto const done = done_.load();
    auto const what = done > 0 ? fmt::format("{} in ", counted(done, unit_)) : std::string();
    put(fmt::format("{}: {}{:.3g} s\n", stage_, what, seconds()));
  }
  stage_.clear();
}

void StageProgress::note(std::string_view message)
{
  hide();
  if (notes_) put(fmt::format("{}\n", message));
}

}  // namespace brushfire::cli
