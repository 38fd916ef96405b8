#include "input/dealt_labels.hpp"

#include "base/error.hpp"

#include <limits>

namespace brushfire {

DealtLabels DealtLabels::of_range(LabelRange range, int devices, int device)
{
  DealtLabels dealt;
  dealt.first_ = range.first;
  dealt.count_ = range.count;
  dealt.devices_ = static_cast<std::uint64_t>(devices);
  dealt.device_ = static_cast<std::uint64_t>(device);
  if (range.count / dealt.devices_ >= std::numeric_limits<Vertex>::max() - 1)
    fail(ErrorKind::memory, "{} vertices are more than {} devices can number; use more devices", range.count, devices);
  return dealt;
}

DealtLabels DealtLabels::of_labels(const Labels& labels, int devices, int device)
{
  DealtLabels dealt = of_range({labels.first(), labels.size()}, devices, device);
  if (!labels.consecutive()) dealt.labels_ = &labels;
  return dealt;
}

std::optional<std::uint64_t> DealtLabels::find(Label label) const
{
  if (labels_ != nullptr) return labels_->find(label);
  if (label < first_ || static_cast<std::uint64_t>(label - first_) >= count_) return std::nullopt;
  return static_cast<std::uint64_t>(label - first_);
}

DealtLabelsView DealtLabels::view() const
{
  return {labels_ != nullptr ? labels_->table().data() : nullptr, first_, static_cast<std::uint32_t>(devices_)};
}

}  // namespace brushfire
