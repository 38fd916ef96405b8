# The standard library, fmt, GoogleTest and CLI11 take longer to parse than most files that include them: here they are
# parsed once per target. Headers of our own are not among them, or each change of one would compile everything again.
# A file still includes what it uses: CMAKE_DISABLE_PRECOMPILE_HEADERS=ON, as in the preset for clang-tidy, builds
# without all this and shows where one does not.
function(precompile_headers target)
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <atomic> <filesystem> <functional> <limits> <memory> <mutex> <optional> <span> <string>
    <string_view> <utility> <vector> <fmt/format.h> ${ARGN})
endfunction()
