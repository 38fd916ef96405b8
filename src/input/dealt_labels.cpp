#include "input/dealt_labels.hpp"

#include "base/error.hpp"

#include <limits>
#include <utility>

namespace brushfire {

namespace {

constexpr std::uint64_t most_per_device = std::numeric_limits<Vertex>::max() - 1;

}  // namespace

DealtLabels DealtLabels::of_range(LabelRange range, int devices, int device)
{
  DealtLabels dealt;
  dealt.first_ = range.first;
  dealt.count_ = range.count;
  dealt.devices_ = static_cast<std::uint64_t>(devices);
  dealt.device_ = static_cast<std::uint64_t>(device);
  if (range.count / dealt.devices_ >= most_per_device)
    fail(ErrorKind::memory, "{} vertices are more than {} devices can number; use more devices", range.count, devices);
  return dealt;
}

DealtLabels DealtLabels::of_labels(const Labels& labels, int devices, int device)
{
  DealtLabels dealt = of_range({labels.first(), labels.size()}, devices, device);
  if (!labels.consecutive()) dealt.labels_ = &labels;
  return dealt;
}

DealtLabels DealtLabels::of_own_table(Section<Label> rising, std::vector<std::uint64_t> sizes, int device)
{
  DealtLabels dealt;
  dealt.devices_ = sizes.size();
  dealt.device_ = static_cast<std::uint64_t>(device);
  for (std::uint64_t const size : sizes) {
    if (size >= most_per_device)
      fail(ErrorKind::memory, "{} vertices are more than a device can number; use more devices", size);
    dealt.count_ += size;
  }
  dealt.own_ = Labels::of_table(std::move(rising));
  dealt.sizes_ = std::move(sizes);
  return dealt;
}

std::optional<std::uint64_t> DealtLabels::find(Label label) const
{
  if (knows_only_own()) {
    auto const number = own_.find(label);
    return number ? std::optional(std::uint64_t{*number} * devices_ + device_) : std::nullopt;
  }
  if (labels_ != nullptr) return labels_->find(label);
  if (label < first_ || static_cast<std::uint64_t>(label - first_) >= count_) return std::nullopt;
  return static_cast<std::uint64_t>(label - first_);
}

DealtLabelsView DealtLabels::view() const
{
  if (knows_only_own()) return {own_.view().table, own_.view().first, 1, true};
  return {labels_ != nullptr ? labels_->table().data() : nullptr, first_, static_cast<std::uint32_t>(devices_)};
}

}  // namespace brushfire
