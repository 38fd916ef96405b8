#include "input/matrix_market.hpp"

#include "fuzz.hpp"

using namespace brushfire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  auto const bytes = fuzz::bytes_of(data, size);
  return fuzz::refuse_or_accept(
      [&] { fuzz::walk(*read_matrix_market(TextShare(text_of(bytes), "fuzz"), Team{1}, Progress::none())); });
}
