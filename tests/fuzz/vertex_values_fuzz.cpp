#include "input/vertex_values.hpp"

#include "fuzz.hpp"

using namespace brushfire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  auto const bytes = fuzz::bytes_of(data, size);
  return fuzz::refuse_or_accept([&] {
    static Labels const run = Labels::of_range({0, 5});
    static Labels const gaps = [] {
      Buffer<Label> table(3);
      table[0] = 1, table[1] = 2, table[2] = 4;
      return Labels::of_table(Section<Label>(std::move(table)));
    }();
    Labels const& labels = size % 2 == 0 ? run : gaps;
    bool const array = size > 0 && data[0] == 0x93;
    auto const values =
        array ? parse_vertex_values_npy(bytes, "fuzz", labels) : parse_vertex_values_txt(bytes, "fuzz", labels);
    if (values.size() != labels.size()) std::abort();
  });
}
