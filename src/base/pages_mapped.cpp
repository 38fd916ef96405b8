// The pages of Buffers, straight from the operating system.
#include "base/buffer.hpp"

#include "base/error.hpp"

#include <sys/mman.h>

namespace brushfire::pages {

void* allocate(std::size_t bytes)
{
  void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    fail(ErrorKind::memory,
         "the system refused {} bytes of memory; free some, or take a smaller graph or fewer --devices or --threads",
         bytes);
  // Random access over 4 KiB pages spends more time in the TLB than in the cache; advice only, may be ignored.
  madvise(start, bytes, MADV_HUGEPAGE);
  return start;
}

void release(void* start, std::size_t bytes) noexcept { munmap(start, bytes); }

void* shrink(void* start, std::size_t bytes, std::size_t smaller)
{
  void* const moved = mremap(start, bytes, smaller, 0);
  if (moved == MAP_FAILED) fail(ErrorKind::failure, "could not give back {} bytes of memory", bytes - smaller);
  return moved;
}

}  // namespace brushfire::pages
