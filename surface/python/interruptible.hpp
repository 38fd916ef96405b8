// Ctrl-C during what takes long: a progress that shows nothing, but lets Python's signal handlers run on the way.
#pragma once

#include "gil.hpp"

#include <brushfire/progress.hpp>

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <thread>

namespace brushfire::python {

struct Interrupted {};

// Nobody is shown how far a stage is; but Python's signal handlers run meanwhile, so that Ctrl-C ends it. They run on
// the thread that called, and what they raise ends the work of all others.
class Interruptible final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t, std::string_view) override { look(); }
  void advance(std::uint64_t) override { look(); }
  void end() override { look(); }
  void note(std::string_view) override {}

  void look()
  {
    if (interrupted_.load(std::memory_order_relaxed)) throw Interrupted{};
    if (std::this_thread::get_id() != caller_ || Clock::now() < next_look_) return;
    next_look_ = Clock::now() + std::chrono::milliseconds(50);
    WithGil const gil;
    if (PyErr_CheckSignals() == 0) return;
    raised_.emplace();
    interrupted_.store(true, std::memory_order_relaxed);
    throw Interrupted{};
  }

  // Calls body(), which may not touch a Python object, without the GIL.
  template <typename Body>
  auto run(Body&& body)
  {
    try {
      WithoutGil const released;
      return body();
    } catch (const Interrupted&) {
    }
    throw *raised_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::thread::id const caller_ = std::this_thread::get_id();
  Clock::time_point next_look_ = Clock::now();
  std::optional<pybind11::error_already_set> raised_;
  std::atomic<bool> interrupted_{false};
};

}  // namespace brushfire::python
