// The wire between ranks whose devices are GPUs, over the best transport that all of them can use. The environment of
// the first rank may ask for one: BRUSHFIRE_TRANSPORT=auto|nccl|mpi|ipc|staged.
#pragma once

#include "exchange/job_wire.hpp"

#include <memory>

namespace brushfire::cuda {

struct GpuWire {
  const char* transport = "";
  std::unique_ptr<Wire> wire;
};

// For devices of which the first is on `gpu`. Nothing when this is the only rank, as make_wire(); but where NCCL is
// asked for it is used by one rank too.
GpuWire make_gpu_wire(int devices_per_rank, int gpu, const WireOptions& options);

}  // namespace brushfire::cuda
