// Whether this MPI takes pointers to the memory of GPUs ("CUDA-aware").
#pragma once

namespace brushfire {

bool mpi_takes_device_memory();

}  // namespace brushfire
