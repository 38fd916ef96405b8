// For tests that need a GPU: skipped, and counted as skipped, where none is usable; failures where the environment has
// BRUSHFIRE_REQUIRE_GPU=1. Their suites are called Gpu..., which is how CMake finds them and gives them the label gpu.
#pragma once

#include "device/gpus.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace brushfire::testing {

// For SetUp(): what it says there decides whether the test runs.
inline void require_gpu()
{
  std::string const reason = device::why_no_gpu();
  if (reason.empty()) return;
  const char* const required = std::getenv("BRUSHFIRE_REQUIRE_GPU");
  if (required != nullptr && std::string_view(required) == "1") FAIL() << "a GPU is required: " << reason;
  GTEST_SKIP() << "no usable GPU: " << reason;
}

template <typename Fixture = ::testing::Test>
class NeedsGpu : public Fixture {
 protected:
  void SetUp() override
  {
    Fixture::SetUp();
    require_gpu();
  }
};

}  // namespace brushfire::testing
