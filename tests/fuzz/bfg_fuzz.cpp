// Any bytes as a .bfg file. Length and checksum of the header are put right first, or nothing behind them would
// ever be reached: what is then opened is searched, judged and summarised.
#include "base/checksum.hpp"

#include "fuzz.hpp"

#include <brushfire/search.hpp>

#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

using namespace brushfire;

namespace {

constexpr std::size_t length_offset = 16, checksum_offset = 368;  // docs/formats.md

class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::uint8_t> bytes) : file_(memfd_create("fuzz", 0))
  {
    if (write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(file_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  std::vector<std::uint8_t> bytes(data, data + size);
  if (size >= checksum_offset + sizeof(std::uint64_t)) {
    std::uint64_t const length = size;
    std::memcpy(bytes.data() + length_offset, &length, sizeof(length));
    std::uint64_t const sum = checksum(std::as_bytes(std::span(bytes).first(checksum_offset)));
    std::memcpy(bytes.data() + checksum_offset, &sum, sizeof(sum));
  }
  MemoryFile const file(bytes);
  return fuzz::refuse_or_accept([&] {
    Graph const graph = Graph::open(file.path());
    graph.summary();
    for (auto const direction : {Direction::push, Direction::pull}) {
      SearchOptions options;
      options.direction = direction;
      options.deterministic = true;
      options.threads = 1;
      Search search(graph, options);
      if (graph.facts().vertices == 0) continue;
      Label const root = graph.label(0);
      if (!graph.find(root)) continue;
      search.run(root);
      search.path_to(root);
      search.validate();
    }
  });
}
