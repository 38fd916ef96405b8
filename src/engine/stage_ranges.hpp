// Stages as ranges of a profiler: stands between whoever works and the Progress that a caller gave.
#pragma once

#include "device/range.hpp"

#include <brushfire/progress.hpp>

#include <optional>
#include <string>

namespace brushfire {

class StageRanges : public Progress {
 public:
  explicit StageRanges(Progress& shown) : shown_(shown) {}

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override
  {
    range_.reset();  // ranges end in the order in which they nest
    range_.emplace(std::string(stage));
    shown_.begin(stage, total, unit);
  }
  void advance(std::uint64_t done) override { shown_.advance(done); }
  void end() override
  {
    shown_.end();
    range_.reset();
  }
  void note(std::string_view message) override { shown_.note(message); }

 private:
  Progress& shown_;
  std::optional<device::Range> range_;
};

}  // namespace brushfire
