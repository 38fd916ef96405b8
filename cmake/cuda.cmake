# BRUSHFIRE_WITH_CUDA = AUTO | ON | OFF decides whether the GPU engine is built; AUTO means: where a toolkit is that
# works, and never stops the configuration. Sets BRUSHFIRE_CUDA. nvcc: the one that the user names (CMAKE_CUDA_COMPILER,
# CUDACXX), else the first on the PATH, else that of the usual folders. Architectures: what the user says
# (CMAKE_CUDA_ARCHITECTURES, CUDAARCHS), else the GPUs that are present, else 80 and 90; BRUSHFIRE_RELEASE builds for
# all that the toolkit and we support.

read_switch(CUDA "Build the GPU engine" with_cuda)
option(BRUSHFIRE_RELEASE "Build GPU code for every architecture from 75 to 100" OFF)

set(oldest_cuda 12.4)  # CCCL counts items in 64 bits from there on

# Sets `nvcc` and its `cuda_version`, or else `problem`.
macro(find_working_nvcc)
  set(problem "")
  if(CMAKE_CUDA_COMPILER)
    set(nvcc "${CMAKE_CUDA_COMPILER}")
  elseif(NOT "$ENV{CUDACXX}" STREQUAL "")
    get_filename_component(nvcc "$ENV{CUDACXX}" PROGRAM)  # arguments may follow
    if(NOT nvcc)
      set(nvcc "$ENV{CUDACXX}")
    endif()
  else()
    find_program(BRUSHFIRE_NVCC nvcc PATHS $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
    set(nvcc "${BRUSHFIRE_NVCC}")
  endif()

  if(NOT nvcc)
    set(problem "no CUDA compiler found; set CUDACXX if there is one")
  else()
    execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE cuda_version ERROR_QUIET)
    if(NOT cuda_version MATCHES "release ([0-9]+\\.[0-9]+)")
      set(problem "${nvcc} does not run, or is no nvcc")
    else()
      set(cuda_version ${CMAKE_MATCH_1})
      if(cuda_version VERSION_LESS oldest_cuda)
        set(problem "${nvcc} is of CUDA ${cuda_version}, and ${oldest_cuda} is the oldest that will do")
      endif()
    endif()
  endif()
  if(problem)
    unset(BRUSHFIRE_NVCC CACHE)  # to look again next time
  endif()
endmacro()

# Whether it also compiles and links, which a version does not show; a compiler that CMake knows already has.
macro(try_nvcc)
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)  # left over from an attempt that failed
    if("$ENV{CUDACXX}" STREQUAL "")
      set(ENV{CUDACXX} "${nvcc}")
    endif()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    set(problem "${nvcc} runs, and compiles nothing; the log is in ${CMAKE_BINARY_DIR}/CMakeFiles")
    unset(BRUSHFIRE_NVCC CACHE)
  endif()
endmacro()

macro(choose_architectures)
  if(NOT CMAKE_CUDA_ARCHITECTURES AND NOT "$ENV{CUDAARCHS}" STREQUAL "")
    set(CMAKE_CUDA_ARCHITECTURES "$ENV{CUDAARCHS}" CACHE STRING "CUDA architectures" FORCE)  # kept, as CMake does
  elseif(NOT CMAKE_CUDA_ARCHITECTURES AND BRUSHFIRE_RELEASE)
    set(CMAKE_CUDA_ARCHITECTURES 75 80 86 89 90 100)
    if(cuda_version VERSION_LESS 12.8)
      list(REMOVE_ITEM CMAKE_CUDA_ARCHITECTURES 100)
    endif()
  elseif(NOT CMAKE_CUDA_ARCHITECTURES)
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
endmacro()

set(BRUSHFIRE_CUDA OFF)
if(with_cuda STREQUAL "AUTO" AND BRUSHFIRE_SANITIZE)
  message(STATUS "the GPU engine is left out: sanitizers and fuzzers are for code of the host")
elseif(with_cuda)
  find_working_nvcc()
  if(NOT problem)
    choose_architectures()
    try_nvcc()
  endif()
  if(NOT problem)
    enable_language(CUDA)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know how nvcc is told the standard
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(BRUSHFIRE_CUDA ON)
    message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION}: the GPU engine is built for ${CMAKE_CUDA_ARCHITECTURES}")
  elseif(with_cuda STREQUAL "ON")
    message(FATAL_ERROR "BRUSHFIRE_WITH_CUDA is ON, but ${problem}")
  else()
    message(STATUS "the GPU engine is left out: ${problem}")
  endif()
endif()
