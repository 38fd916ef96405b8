# BRUSHFIRE_SANITIZE builds everything with a sanitizer that stops at its first finding. BRUSHFIRE_FUZZ adds the
# fuzzers, which would find little without one.
set(BRUSHFIRE_SANITIZE "" CACHE STRING "Sanitizer to build with: empty, address,undefined or thread")
set_property(CACHE BRUSHFIRE_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")
option(BRUSHFIRE_FUZZ "Build the fuzzers and run each for a moment; needs clang" OFF)
if(BRUSHFIRE_FUZZ AND NOT BRUSHFIRE_SANITIZE)
  set(BRUSHFIRE_SANITIZE "address,undefined")
endif()

if(BRUSHFIRE_SANITIZE)
  if(NOT BRUSHFIRE_SANITIZE MATCHES "^(address|undefined|address,undefined|thread)$")
    message(FATAL_ERROR "BRUSHFIRE_SANITIZE is address,undefined or thread, not ${BRUSHFIRE_SANITIZE}")
  endif()
  # C++ alone: the C compiler, which makes libraries that tests load, may be another one with runtimes of its own.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${BRUSHFIRE_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  # What the sanitizers insert confuses this warning of GCC's, in the standard library above all.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options($<$<LINK_LANGUAGE:CXX>:-fsanitize=${BRUSHFIRE_SANITIZE}>)
endif()
