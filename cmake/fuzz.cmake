# libFuzzer programs, one per tests/fuzz/<name>_fuzz.cpp, over the library instrumented for them; the tests of the
# same build use it too, so that it is compiled once for both. Each is a ctest labelled `fuzz` that runs for
# BRUSHFIRE_FUZZ_SECONDS on a copy of tests/fuzz/corpus/<name>/: what a run discovers stays in the build folder.

if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "BRUSHFIRE_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
endif()

set(BRUSHFIRE_FUZZ_SECONDS 10 CACHE STRING "How long the test of each fuzzer runs")

target_compile_options(brushfire_objects PRIVATE -fsanitize=fuzzer-no-link)

file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp)
foreach(fuzz_source ${fuzz_sources})
  get_filename_component(fuzzer ${fuzz_source} NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name ${fuzzer})

  add_executable(${fuzzer} ${fuzz_source})
  target_include_directories(${fuzzer} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${fuzzer} PRIVATE brushfire_objects fmt::fmt Threads::Threads)
  target_compile_options(${fuzzer} PRIVATE -fsanitize=fuzzer -Wall -Wextra -Wshadow)
  target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)

  set(corpus ${PROJECT_BINARY_DIR}/fuzz/${name})
  file(MAKE_DIRECTORY ${corpus})
  file(GLOB corpus_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}/*)
  file(COPY ${corpus_files} DESTINATION ${corpus})
  math(EXPR patience "${BRUSHFIRE_FUZZ_SECONDS} + 300")
  add_test(NAME ${fuzzer} COMMAND ${fuzzer} -max_total_time=${BRUSHFIRE_FUZZ_SECONDS} ${corpus}
           WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  set_tests_properties(${fuzzer} PROPERTIES LABELS fuzz TIMEOUT ${patience})
endforeach()
