// The vertices of a graph dealt out to devices: what one device knows of it. A vertex has an index among all, which
// says the device where it lives and its number there (Dealing). Labels that are consecutive, or known as a whole, are
// dealt one by one, or in pieces; where no device knows all labels, a hash deals them, devices have different numbers
// of vertices, and some indices do not exist.
//
// Anybody can tell the device of a label. Its number there is asked of that device only.
#pragma once

#include "base/dealing.hpp"
#include "base/labels_view.hpp"
#include "base/mixed.hpp"
#include "input/labels.hpp"

#include <brushfire/types.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace brushfire {

// The device of a label that no device but its owner knows.
inline int owner_of(Label label, int devices)
{
  return static_cast<int>(mixed(static_cast<std::uint64_t>(label)) % static_cast<std::uint64_t>(devices));
}

class DealtLabels {
 public:
  // Consecutive labels, any number of them.
  static DealtLabels of_range(LabelRange range, int devices, int device);
  // `labels` of the whole graph, shared by devices of one process; they must outlive this.
  static DealtLabels of_labels(const Labels& labels, int devices, int device);
  // The labels whose owner_of() is this device, rising, and how many every device has. Numbers and labels of vertices
  // elsewhere are not known here. Throws Error(memory) when a device, whichever, has more than it can number.
  static DealtLabels of_own_table(Section<Label> rising, std::vector<std::uint64_t> sizes, int device);

  // The same in pieces of consecutive indices: `bounds` has where each begins, and the end. Not where nobody knows all.
  DealtLabels in_pieces(std::vector<std::uint64_t> bounds) const;

  int devices() const { return static_cast<int>(dealing_.devices); }
  int device() const { return static_cast<int>(device_); }
  bool knows_only_own() const { return !sizes_.empty(); }
  std::uint64_t total() const { return count_; }                      // vertices of all devices
  Vertex size() const { return size_of(static_cast<int>(device_)); }  // of this one
  Vertex size_of(int device) const;
  Dealing dealing() const { return dealing_; }

  // Of a label that occurs.
  int device_of(Label label) const
  {
    return knows_only_own() ? owner_of(label, devices()) : static_cast<int>(dealing_.home_of(index_of(label)).device);
  }
  // Of a label that occurs, asked of its device.
  Vertex number_of(Label label) const
  {
    return knows_only_own() ? own_.vertex(label) : dealing_.home_of(index_of(label)).number;
  }
  std::optional<std::uint64_t> find(Label label) const;  // its index, if there is such a label; asked of its device
  Label label_of(int device, Vertex number) const
  {
    return knows_only_own() ? own_.label(number)
                            : label_at(dealing_.index_of({static_cast<std::uint32_t>(device), number}));
  }
  Label label(Vertex own) const { return label_of(static_cast<int>(device_), own); }
  DealtLabelsView view() const;

  std::uint64_t index_of(Label label) const
  {
    if (knows_only_own()) return dealing_.index_of({device_, own_.vertex(label)});
    return labels_ != nullptr ? labels_->vertex(label) : static_cast<std::uint64_t>(label - first_);
  }
  Label label_at(std::uint64_t index) const
  {
    if (knows_only_own()) return own_.label(dealing_.home_of(index).number);
    return labels_ != nullptr ? labels_->label(static_cast<Vertex>(index)) : first_ + static_cast<Label>(index);
  }

 private:
  const Labels* labels_ = nullptr;    // of the whole graph; null when labels are consecutive or nobody knows all
  Labels own_;                        // of this device, where nobody knows all
  std::vector<std::uint64_t> sizes_;  // of all devices, where nobody knows all labels; else empty
  Label first_ = 0;
  std::uint64_t count_ = 0;
  Dealing dealing_;
  std::shared_ptr<const std::vector<std::uint64_t>> bounds_;  // of pieces
  std::uint32_t device_ = 0;
};

}  // namespace brushfire
