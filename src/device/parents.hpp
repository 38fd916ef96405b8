// A parent array in device memory, kept in 32 or 64 bits; values are labels, -1 outside the tree.
#pragma once

#include <cstdint>

namespace brushfire::device {

struct ParentsOnDevice {
  const std::int64_t* wide = nullptr;
  const std::int32_t* narrow = nullptr;  // one of the two
  std::uint64_t size = 0;
};

// The labels of vertices, by index, as kernels see them: a table in device memory, or consecutive numbers.
struct LabelsOnDevice {
  const std::int64_t* table = nullptr;  // null when labels are consecutive
  std::int64_t first = 0;
};

}  // namespace brushfire::device
