// The GPU as a judge: every test of the validator is run with it, and each of its verdicts must be that of the host in
// every field.
#include "device/buffer.hpp"
#include "input/cuda/device_edges.hpp"
#include "validate/cuda/validate_on_device.hpp"
#include "validate/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace brushfire {
namespace {

using testing::expect_equal;
using testing::Judge;
using testing::Parents;
using testing::Validate;

bool fit_narrow(const Parents& parents)
{
  using Narrow = std::numeric_limits<std::int32_t>;
  return std::all_of(parents.begin(), parents.end(), [](Label p) { return p >= Narrow::min() && p <= Narrow::max(); });
}

// Threads stand for the way the tuples come: kept on the device, or fed anew.
Verdict judge_on_gpu(const EdgeSource& source, Label root, const Parents& parents, const TreeRules& rules, int threads)
{
  Labels const labels = Labels::of_source(source, Team{1});
  device::Stream const stream;
  bool const keep = threads == 1;
  auto const edges = feed_from_host(source, labels, Team{threads}, keep, stream);
  auto const table = device::make_buffer(labels.table(), stream);
  device::LabelsOnDevice const labels_there{table.data(), labels.first()};

  auto const wide = device::make_buffer(std::span<const Label>(parents), stream);
  Verdict const verdict =
      validate_on_device(*edges, source, labels, labels_there, root,
                         {.wide = wide.data(), .narrow = nullptr, .size = parents.size()}, rules, stream);
  if (fit_narrow(parents)) {
    std::vector<std::int32_t> const values(parents.begin(), parents.end());
    auto const narrow = device::make_buffer(std::span<const std::int32_t>(values), stream);
    expect_equal(validate_on_device(*edges, source, labels, labels_there, root,
                                    {.wide = nullptr, .narrow = narrow.data(), .size = parents.size()}, rules, stream),
                 verdict);
  }
  expect_equal(verdict, validate_tree(source, labels, root, {parents.data(), parents.size()}, rules, Team{threads},
                                      Progress::none()));
  return verdict;
}

INSTANTIATE_TEST_SUITE_P(Gpu, Validate, ::testing::Values(Judge{"the GPU", true, judge_on_gpu}));

}  // namespace
}  // namespace brushfire
