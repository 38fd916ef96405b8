// The tests of the validator, whoever judges: each is run for every Judge that is instantiated.
#pragma once

#include "gpu.hpp"
#include "input/edge_source.hpp"
#include "validate/validate.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace brushfire::testing {

using Parents = std::vector<Label>;

struct Judge {
  std::string where;
  bool needs_gpu = false;
  std::function<Verdict(const EdgeSource&, Label root, const Parents&, const TreeRules&, int threads)> judge;
};
inline void PrintTo(const Judge& judge, std::ostream* out) { *out << judge.where; }

class Validate : public ::testing::TestWithParam<Judge> {
 protected:
  void SetUp() override
  {
    if (GetParam().needs_gpu) require_gpu();
  }

  static Verdict judge(const EdgeSource& source, Label root, const Parents& parents, const TreeRules& rules = {},
                       int threads = 1)
  {
    return GetParam().judge(source, root, parents, rules, threads);
  }
};

}  // namespace brushfire::testing
