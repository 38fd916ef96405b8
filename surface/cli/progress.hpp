// Progress on stderr: a bar that is redrawn in place when stderr is a terminal, a line per finished stage
// when it is not. advance() is called from many threads and costs an addition and a look at the clock.
#pragma once

#include "options.hpp"

#include <brushfire/progress.hpp>
#include <brushfire/timeline.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace brushfire::cli {

class StageProgress : public Progress {
 public:
  explicit StageProgress(const MessageOptions& options);
  ~StageProgress() override;

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
  void advance(std::uint64_t done) override;
  void end() override;
  void note(std::string_view message) override;

  void hide();  // takes the bar away, so that something else can be printed; the next advance() draws it again
  const std::vector<Stage>& stages() const { return stages_; }  // that have ended

 private:
  enum class Mode { silent, lines, bar };
  using Clock = std::chrono::steady_clock;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void draw();

  Mode mode_;
  bool notes_;
  std::string stage_;  // empty between stages
  std::string unit_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> done_{0};
  Clock::time_point start_;
  std::atomic<double> next_draw_{0};  // seconds since start_
  std::mutex drawing_;
  bool drawn_ = false;
  std::vector<Stage> stages_;
};

}  // namespace brushfire::cli
