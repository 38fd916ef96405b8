# BRUSHFIRE_SANITIZE builds everything with a sanitizer that stops at its first finding:
# "address,undefined" with any compiler, "thread" with clang. Libgomp is not instrumented, so a thread sanitizer that
# watches it reports every barrier; LLVM's libomp tells it about them through Archer (OMP_TOOL_LIBRARIES=libarcher.so).
set(BRUSHFIRE_SANITIZE "" CACHE STRING "Sanitizer to build with: empty, address,undefined or thread")
set_property(CACHE BRUSHFIRE_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

if(BRUSHFIRE_SANITIZE)
  if(NOT BRUSHFIRE_SANITIZE MATCHES "^(address|undefined|address,undefined|thread)$")
    message(FATAL_ERROR "BRUSHFIRE_SANITIZE is address,undefined or thread, not ${BRUSHFIRE_SANITIZE}")
  endif()
  if(BRUSHFIRE_SANITIZE STREQUAL "thread" AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "BRUSHFIRE_SANITIZE=thread needs clang and libomp: add -DCMAKE_CXX_COMPILER=clang++")
  endif()
  add_compile_options(-fsanitize=${BRUSHFIRE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${BRUSHFIRE_SANITIZE})
endif()
