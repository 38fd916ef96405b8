# BRUSHFIRE_WITH_MPI = AUTO | ON | OFF decides whether the program can run as the ranks of one job; AUTO means: where an
# MPI is, and never stops the configuration. Sets BRUSHFIRE_MPI and, for linking, the target brushfire_mpi, which is MPI
# without the C++ bindings that some still have.

read_switch(MPI "Build for several ranks" with_mpi)

set(BRUSHFIRE_MPI OFF)
if(with_mpi STREQUAL "AUTO" AND BRUSHFIRE_SANITIZE)
  message(STATUS "MPI is left out: what it never frees would hide what we forget to")
elseif(with_mpi)
  set(MPI_CXX_SKIP_MPICXX TRUE)
  find_package(MPI 3.0 QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    get_target_property(mpi_libraries MPI::MPI_CXX INTERFACE_LINK_LIBRARIES)
    list(FILTER mpi_libraries EXCLUDE REGEX "mpi(ch)?_?cxx")
    add_library(brushfire_mpi INTERFACE)
    target_include_directories(brushfire_mpi SYSTEM INTERFACE ${MPI_CXX_INCLUDE_DIRS})
    target_compile_definitions(brushfire_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    target_compile_options(brushfire_mpi INTERFACE ${MPI_CXX_COMPILE_OPTIONS})
    target_link_libraries(brushfire_mpi INTERFACE ${mpi_libraries})
    if(MPI_CXX_LINK_FLAGS)
      target_link_options(brushfire_mpi INTERFACE "SHELL:${MPI_CXX_LINK_FLAGS}")
    endif()
    set(BRUSHFIRE_MPI ON)
    message(STATUS "MPI ${MPI_CXX_VERSION}: the program can run as several ranks")
  elseif(with_mpi STREQUAL "ON")
    message(FATAL_ERROR "BRUSHFIRE_WITH_MPI is ON, but no MPI was found (libopenmpi-dev); set MPI_CXX_COMPILER or "
                        "MPI_HOME if there is one")
  else()
    message(STATUS "MPI is left out: none was found (libopenmpi-dev); set MPI_CXX_COMPILER or MPI_HOME if there is one")
  endif()
endif()
