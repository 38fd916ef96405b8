// The pages of Buffers in builds with a sanitizer or a fuzzer: from the heap, to the byte, where every access outside
// is seen. CMake takes this file instead of pages_mapped.cpp there.
#include "base/buffer.hpp"
#include "base/error.hpp"

#include <cstdlib>

namespace brushfire::pages {

void* allocate(std::size_t bytes)
{
  void* const start = std::calloc(bytes, 1);
  if (start == nullptr)
    fail(ErrorKind::memory,
         "the system refused {} bytes of memory; free some, or take a smaller graph or fewer --devices or --threads",
         bytes);
  return start;
}

void release(void* start, std::size_t) noexcept { std::free(start); }

void* shrink(void* start, std::size_t bytes, std::size_t smaller)
{
  void* const moved = std::realloc(start, smaller);
  if (moved == nullptr) fail(ErrorKind::failure, "could not give back {} bytes of memory", bytes - smaller);
  return moved;
}

}  // namespace brushfire::pages
