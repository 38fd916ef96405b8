#include "device/range.hpp"

#include <nvtx3/nvToolsExt.h>

namespace brushfire::device {

Range::Range(const char* name) { nvtxRangePushA(name); }
Range::~Range() { nvtxRangePop(); }

}  // namespace brushfire::device
