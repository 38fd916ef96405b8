// What is known of a part before it is built, from which follows what a search of it allocates.
#pragma once

#include <cstdint>

namespace brushfire::cuda {

struct PartSearchCounts {
  std::uint64_t all_vertices = 0;  // of all devices
  std::uint64_t vertices = 0;      // the own ones
  std::uint64_t delegates = 0;     // of all devices
  std::uint64_t entries = 0;       // list entries of one direction, those that lead elsewhere left out
  std::uint64_t far_entries = 0;   // those
  std::uint64_t devices = 1;
  bool own_labels_only = false;  // devices ask each other for labels too
  bool pieces_land = false;      // in memory of their own: they come from other GPUs, or by way of the host
};

}  // namespace brushfire::cuda
