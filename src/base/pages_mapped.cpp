// The pages of Buffers, straight from the operating system. Random access over 4 KiB pages spends more time in the TLB
// than in the cache, so what is large enough fills whole huge pages: it starts at one and ends at one.
#include "base/buffer.hpp"

#include "base/error.hpp"

#include <sys/mman.h>

namespace brushfire::pages {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

// What is mapped for so many bytes.
std::size_t mapped(std::size_t bytes)
{
  constexpr std::size_t worth_a_huge_page = huge_page / 8;
  return bytes < worth_a_huge_page ? bytes : (bytes + huge_page - 1) / huge_page * huge_page;
}

}  // namespace

void* allocate(std::size_t bytes)
{
  std::size_t const kept = mapped(bytes);
  std::size_t const slack = kept == bytes && bytes % huge_page != 0 ? 0 : huge_page;
  void* const start =
      mmap(nullptr, kept + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED)
    fail(ErrorKind::memory,
         "the system refused {} bytes of memory; free some, or take a smaller graph or fewer --devices or --threads",
         bytes);
  if (slack == 0) return start;
  std::size_t const before = -reinterpret_cast<std::uintptr_t>(start) % huge_page;
  auto* const aligned = static_cast<std::byte*>(start) + before;
  if (before != 0) munmap(start, before);
  if (before != slack) munmap(aligned + kept, slack - before);
  madvise(aligned, kept, MADV_HUGEPAGE);  // advice only, may be ignored
  return aligned;
}

void release(void* start, std::size_t bytes) noexcept { munmap(start, mapped(bytes)); }

void* shrink(void* start, std::size_t bytes, std::size_t smaller)
{
  void* const moved = mremap(start, mapped(bytes), mapped(smaller), 0);
  if (moved == MAP_FAILED) fail(ErrorKind::failure, "could not give back {} bytes of memory", bytes - smaller);
  return moved;
}

}  // namespace brushfire::pages
