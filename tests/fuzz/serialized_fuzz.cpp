#include "input/serialized.hpp"

#include "fuzz.hpp"

using namespace brushfire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  auto const bytes = fuzz::bytes_of(data, size);
  return fuzz::refuse_or_accept(
      [&] { fuzz::walk(*read_serialized(Section<std::byte>(bytes, nullptr), "fuzz", Team{1})); });
}
