// What the kernels of a part work on. Delegates are known by rank everywhere; those that live here have their parents
// among the vertices from the start, those that live elsewhere in an array by rank, from which they are sent home.
#pragma once

#include "base/labels_view.hpp"
#include "build/cuda/device_part.hpp"
#include "traverse/cuda/part_index.hpp"
#include "traverse/cuda/search_view.cuh"

namespace brushfire::cuda {

template <typename ParentType>
struct PartView : SearchView<ParentType> {
  using Parent = ParentType;

  const Vertex* home_of;               // by rank: the vertex that it is here, or no_vertex
  const std::uint32_t* narrow_labels;  // of delegates, by rank; null where 32 bits do not hold them
  const Label* wide_labels;            // the same
  LabelsView own_labels;

  // Delegates stand behind the own vertices.
  __device__ Vertex vertex_of(std::uint32_t slot) const
  {
    return slot < this->delegates ? this->vertices + slot : slot - this->normal_base;
  }
  __device__ Parent label_of(Vertex v) const
  {
    if (v < this->vertices) return static_cast<Parent>(own_labels(v));
    std::uint32_t const rank = v - this->vertices;
    return static_cast<Parent>(narrow_labels != nullptr ? Label{narrow_labels[rank]} : wide_labels[rank]);
  }
  __device__ void put(Parent*, std::uint32_t slot, Parent label) const
  {
    if (slot >= this->delegates) {
      this->parents[slot - this->normal_base] = label;
      return;
    }
    Vertex const home = home_of[slot];
    (home != no_vertex ? this->parents[home] : this->delegate_parents[slot]) = label;
  }
  __device__ void settle(std::uint32_t slot, Vertex parent, std::int32_t = 0) const  // levels are noted later
  {
    put(nullptr, slot, label_of(parent));
  }
};

// Of the graph, all that kernels of a device alone look at and are asked for here; of the search nothing yet.
template <typename Parent>
PartView<Parent> view_of_part(const DevicePart& part, const PartIndex& index, DealtLabelsView labels)
{
  const DeviceLayout& layout = part.layout;
  PartView<Parent> view{};
  show_graph(view, layout, index.search);
  view.labels = {part.labels.data(), 0};
  view.home_of = index.home_of.data();
  view.narrow_labels = index.narrow_labels.data();
  view.wide_labels = part.labels.data() + layout.vertices;
  view.own_labels = labels.own_only ? LabelsView{part.labels.data(), 0, 1} : labels.of(part.device);
  return view;
}

}  // namespace brushfire::cuda
