// Open MPI and its relatives tell through an extension, which others do not have; they are taken for MPIs that do not.
#include "exchange/mpi/device_memory.hpp"

#include <mpi.h>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace brushfire {

bool mpi_takes_device_memory()
{
#ifdef MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() != 0;
#else
  return false;
#endif
}

}  // namespace brushfire
