# BRUSHFIRE_WITH_CUDA = AUTO | ON | OFF decides whether the GPU engine is built; AUTO means: where the toolkit is.
# Sets BRUSHFIRE_CUDA. Architectures: what the user says, else the GPUs that are present, else 80 and 90;
# BRUSHFIRE_RELEASE builds for all that the toolkit and we support.

set(BRUSHFIRE_WITH_CUDA AUTO CACHE STRING "Build the GPU engine: AUTO, ON or OFF")
set_property(CACHE BRUSHFIRE_WITH_CUDA PROPERTY STRINGS AUTO ON OFF)
option(BRUSHFIRE_RELEASE "Build GPU code for every architecture from 75 to 100" OFF)

set(BRUSHFIRE_CUDA OFF)
if(BRUSHFIRE_WITH_CUDA STREQUAL "AUTO" AND (BRUSHFIRE_SANITIZE OR BRUSHFIRE_FUZZ))
  message(STATUS "the GPU engine is left out: sanitizers and fuzzers are for code of the host")
elseif(NOT BRUSHFIRE_WITH_CUDA STREQUAL "OFF")
  # The toolkit is often installed without being on the PATH.
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(BRUSHFIRE_NVCC nvcc HINTS $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
    if(BRUSHFIRE_NVCC)
      set(CMAKE_CUDA_COMPILER ${BRUSHFIRE_NVCC})
    endif()
  endif()

  if(NOT CMAKE_CUDA_ARCHITECTURES)
    if(BRUSHFIRE_RELEASE)
      set(CMAKE_CUDA_ARCHITECTURES 75 80 86 89 90 100)
    else()
      execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                      OUTPUT_VARIABLE present ERROR_QUIET RESULT_VARIABLE status)
      string(REGEX MATCHALL "[0-9]+\\.[0-9]+" present "${present}")
      list(TRANSFORM present REPLACE "\\." "")
      list(FILTER present INCLUDE REGEX "^(7[5-9]|[89].|1..)$")  # CUDA 13 knows no older ones
      list(REMOVE_DUPLICATES present)
      if(status EQUAL 0 AND present)
        set(CMAKE_CUDA_ARCHITECTURES ${present})
      else()
        set(CMAKE_CUDA_ARCHITECTURES 80 90)
      endif()
    endif()
  endif()

  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know how nvcc is told the standard
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(BRUSHFIRE_CUDA ON)
    message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION}: the GPU engine is built for ${CMAKE_CUDA_ARCHITECTURES}")
  elseif(BRUSHFIRE_WITH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "BRUSHFIRE_WITH_CUDA is ON, and no CUDA compiler was found; set CUDACXX or CMAKE_CUDA_COMPILER")
  else()
    message(STATUS "no CUDA compiler found: the GPU engine is left out (set CUDACXX if there is one)")
  endif()
endif()
