#include "input/edge_list.hpp"

#include "fuzz.hpp"

using namespace brushfire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  auto const bytes = fuzz::bytes_of(data, size);
  return fuzz::refuse_or_accept([&] {
    bool const table = size % 2 == 1;
    fuzz::walk(*read_edge_list(TextShare(text_of(bytes), "fuzz"), table ? ColumnNames::allowed : ColumnNames::none,
                               Team{1}, Progress::none()));
  });
}
