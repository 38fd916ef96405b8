// The search index of a part: what waits there may be found by other devices too.
#pragma once

#include "build/cuda/device_part.hpp"
#include "device/stream.hpp"
#include "traverse/cuda/search_index.hpp"

namespace brushfire::cuda {

SearchIndex index_part(const DevicePart& part, const device::Stream& stream);

}  // namespace brushfire::cuda
