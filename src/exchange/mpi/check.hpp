// Every call of MPI is checked: check(MPI_Something(...)).
#pragma once

#include "base/error.hpp"

#include <mpi.h>

#include <string_view>

namespace brushfire {

inline void check(int result)
{
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(result, text, &length);
  fail(ErrorKind::failure, "{}", std::string_view(text, static_cast<std::size_t>(length)));
}

// A communicator of our own, whose errors come back instead of ending the program.
inline MPI_Comm duplicate(MPI_Comm communicator)
{
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(communicator, &copy));
  check(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN));
  return copy;
}

}  // namespace brushfire
