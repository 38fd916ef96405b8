// The five papers' experiments as data: what is searched, what varies, what is shown of it, and what the paper says.
#pragma once

#include "engine/measure.hpp"

#include <brushfire/paper_report.hpp>

#include <optional>
#include <string>
#include <vector>

namespace brushfire {

using PaperValues = std::vector<std::optional<double>>;

struct PaperRun {
  std::string graph;
  std::string name;  // what varies
  Combination combination;
  PaperValues theirs{};  // the paper's figures for it, as many as the experiment has columns of the paper; or none
};

// A number of a run; `first` is the run of the experiment on the same graph that the others are compared with.
struct OurColumn {
  PaperColumn column;
  double (*value)(const Measurement& run, const Measurement& first);
};

struct Experiment {
  std::string title, source, says, remark;
  std::vector<PaperRun> runs;
  std::vector<OurColumn> ours;
  std::vector<PaperColumn> theirs{};
  // Of an experiment that counts checks level by level: a row for each level, a column for each run, and for each
  // the paper's column beside it, by level. Then it has no other columns.
  std::vector<PaperValues> theirs_by_level{};
};

struct Paper {
  std::string citation;
  std::vector<Experiment> experiments;
};

// Everything that is not the paper's, such as the device, is as in `base`. Throws Error(usage) for automatic.
Paper paper_of(Preset preset, int scale, const Combination& base);
// Sizes at which all runs take a minute or so on two cores.
int usual_scale(Preset preset);

}  // namespace brushfire
