#include "input/compressed.hpp"

#include "fuzz.hpp"

using namespace brushfire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  auto const bytes = fuzz::bytes_of(data, size);
  return fuzz::refuse_or_accept([&] {
    constexpr std::uint64_t limit = 64 << 20;
    if (compression_of(bytes) == Compression::none) return;
    auto const plain = unpack(bytes, "fuzz", limit);
    if (plain.size() > limit) std::abort();
  });
}
