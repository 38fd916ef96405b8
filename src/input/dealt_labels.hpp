// The vertices of a graph dealt out to devices one by one, like cards: what one device knows of it. The vertex of index
// v lives on device v % devices(), where it is number v / devices() (Pan, Pearce and Owens, Algorithm 1).
//
// Anybody can tell the device of a label. Its number there is asked of that device only.
#pragma once

#include "base/labels_view.hpp"
#include "input/labels.hpp"

#include <brushfire/types.hpp>

#include <cstdint>
#include <optional>

namespace brushfire {

class DealtLabels {
 public:
  // Consecutive labels, any number of them.
  static DealtLabels of_range(LabelRange range, int devices, int device);
  // `labels` of the whole graph, shared by devices of one process; they must outlive this.
  static DealtLabels of_labels(const Labels& labels, int devices, int device);

  int devices() const { return static_cast<int>(devices_); }
  int device() const { return static_cast<int>(device_); }
  std::uint64_t total() const { return count_; }                      // vertices of all devices
  Vertex size() const { return size_of(static_cast<int>(device_)); }  // of this one
  Vertex size_of(int device) const
  {
    return static_cast<Vertex>((count_ + devices_ - 1 - static_cast<std::uint64_t>(device)) / devices_);
  }

  int device_of(Label label) const { return static_cast<int>(index_of(label) % devices_); }  // of a label that occurs
  Vertex number_of(Label label) const { return static_cast<Vertex>(index_of(label) / devices_); }
  std::optional<std::uint64_t> find(Label label) const;  // its index, if there is such a label
  Label label_of(int device, Vertex number) const
  {
    return label_at(std::uint64_t{number} * devices_ + static_cast<std::uint64_t>(device));
  }
  Label label(Vertex own) const { return label_of(static_cast<int>(device_), own); }
  DealtLabelsView view() const;

  std::uint64_t index_of(Label label) const
  {
    return labels_ != nullptr ? labels_->vertex(label) : static_cast<std::uint64_t>(label - first_);
  }
  Label label_at(std::uint64_t index) const
  {
    return labels_ != nullptr ? labels_->label(static_cast<Vertex>(index)) : first_ + static_cast<Label>(index);
  }

 private:
  const Labels* labels_ = nullptr;  // null when labels are consecutive
  Label first_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t devices_ = 1, device_ = 0;
};

}  // namespace brushfire
