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
  dealt.dealing_.devices = static_cast<std::uint32_t>(devices);
  dealt.device_ = static_cast<std::uint32_t>(device);
  if (range.count / dealt.dealing_.devices >= most_per_device)
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
  dealt.dealing_.devices = static_cast<std::uint32_t>(sizes.size());
  dealt.device_ = static_cast<std::uint32_t>(device);
  for (std::uint64_t const size : sizes) {
    if (size >= most_per_device)
      fail(ErrorKind::memory, "{} vertices are more than a device can number; use more devices", size);
    dealt.count_ += size;
  }
  dealt.own_ = Labels::of_table(std::move(rising));
  dealt.sizes_ = std::move(sizes);
  return dealt;
}

DealtLabels DealtLabels::in_pieces(std::vector<std::uint64_t> bounds) const
{
  DealtLabels pieces = *this;
  for (std::size_t device = 0; device + 1 < bounds.size(); ++device)
    if (bounds[device + 1] - bounds[device] >= most_per_device)
      fail(ErrorKind::memory, "{} vertices are more than a device can number; use more devices",
           bounds[device + 1] - bounds[device]);
  pieces.bounds_ = std::make_shared<const std::vector<std::uint64_t>>(std::move(bounds));
  pieces.dealing_.bounds = pieces.bounds_->data();
  return pieces;
}

Vertex DealtLabels::size_of(int device) const
{
  if (knows_only_own()) return static_cast<Vertex>(sizes_[static_cast<std::size_t>(device)]);
  if (bounds_ != nullptr) return static_cast<Vertex>(dealing_.bounds[device + 1] - dealing_.bounds[device]);
  std::uint64_t const devices = dealing_.devices;
  return static_cast<Vertex>((count_ + devices - 1 - static_cast<std::uint64_t>(device)) / devices);
}

std::optional<std::uint64_t> DealtLabels::find(Label label) const
{
  if (knows_only_own()) {
    auto const number = own_.find(label);
    return number ? std::optional(dealing_.index_of({device_, *number})) : std::nullopt;
  }
  if (labels_ != nullptr) return labels_->find(label);
  if (label < first_ || static_cast<std::uint64_t>(label - first_) >= count_) return std::nullopt;
  return static_cast<std::uint64_t>(label - first_);
}

DealtLabelsView DealtLabels::view() const
{
  if (knows_only_own()) return {own_.view().table, own_.view().first, {}, true};
  return {labels_ != nullptr ? labels_->table().data() : nullptr, first_, dealing_};
}

}  // namespace brushfire
