// Packing as in the files of the reference: the low halves of both labels, then a word with bits 32 to 47 of both.
#include "input/packed_edges.hpp"

#include "base/error.hpp"
#include "input/edge_blocks.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace brushfire {

namespace {

struct PackedEdge {
  std::uint32_t source_low, target_low, high;
};
static_assert(sizeof(PackedEdge) == PackedEdges::bytes_per_edge);

PackedEdge pack(const Edge& edge)
{
  auto const source = static_cast<std::uint64_t>(edge.source), target = static_cast<std::uint64_t>(edge.target);
  return {static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(target),
          static_cast<std::uint32_t>((source >> 32) | (target >> 32 << 16))};
}

Edge unpack(const PackedEdge& edge)
{
  return {static_cast<Label>(edge.source_low | std::uint64_t{edge.high & 0xffff} << 32),
          static_cast<Label>(edge.target_low | std::uint64_t{edge.high >> 16} << 32)};
}

std::filesystem::path scratch_folder()
{
  const char* const chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/var/tmp";  // for large temporary files, unlike /tmp
}

int open_nameless_file()
{
  std::string name = (scratch_folder() / "brushfire-tuples.XXXXXX").string();
  int const file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) fail(ErrorKind::failure, "{}: cannot be written: {}", name, std::strerror(errno));
  unlink(name.c_str());
  return file;
}

// Calls transfer(bytes done so far) until `size` bytes went through; it returns what read and write return.
template <typename Transfer>
void transfer_all(std::size_t size, const char* verb, Transfer&& transfer)
{
  for (std::size_t done = 0; done < size;) {
    ssize_t const now = transfer(done);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0)
      fail(ErrorKind::failure, "the tuple list in {} cannot be {}: {}", scratch_folder().string(), verb,
           now == 0 ? "it ended early" : std::strerror(errno));
    done += static_cast<std::size_t>(now);
  }
}

}  // namespace

PackedEdges::PackedEdges(const EdgeSource& source, TupleHome home, Team team, Progress& progress)
    : EdgeSource(source.facts())
{
  facts_.nanoseconds_per_edge = 1;
  if (home == TupleHome::file)
    file_ = open_nameless_file();
  else
    memory_ = Buffer<std::byte>(facts_.edges * bytes_per_edge);
  for_each_edge_block(source, team, progress, [&](std::uint64_t first, std::span<const Edge> edges, int) {
    std::vector<PackedEdge> packed(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) packed[i] = pack(edges[i]);
    auto const bytes = std::as_bytes(std::span(packed));
    if (home == TupleHome::memory)
      std::memcpy(memory_.data() + first * bytes_per_edge, bytes.data(), bytes.size());
    else
      transfer_all(bytes.size(), "written", [&](std::size_t done) {
        return pwrite(file_, bytes.data() + done, bytes.size() - done,
                      static_cast<off_t>(first * bytes_per_edge + done));
      });
  });
}

PackedEdges::~PackedEdges()
{
  if (file_ >= 0) close(file_);
}

void PackedEdges::read(std::uint64_t first, std::span<Edge> out) const
{
  std::array<PackedEdge, 2048> piece;  // stays in the first-level cache between read and unpack
  for (std::size_t done = 0; done < out.size(); done += piece.size()) {
    std::size_t const count = std::min(piece.size(), out.size() - done);
    std::uint64_t const offset = (first + done) * bytes_per_edge;
    std::size_t const bytes = count * bytes_per_edge;
    auto* const start = reinterpret_cast<char*>(piece.data());
    if (file_ < 0)
      std::memcpy(start, memory_.data() + offset, bytes);
    else
      transfer_all(bytes, "read", [&](std::size_t got) {
        return pread(file_, start + got, bytes - got, static_cast<off_t>(offset + got));
      });
    for (std::size_t i = 0; i < count; ++i) out[done + i] = unpack(piece[i]);
  }
}

TupleHome choose_tuple_home(std::uint64_t edges)
{
  constexpr std::uint64_t short_list = 256 << 20;  // bytes
  std::uint64_t const bytes = edges * PackedEdges::bytes_per_edge;
  if (bytes <= short_list) return TupleHome::memory;
  std::error_code error;
  auto const space = std::filesystem::space(scratch_folder(), error);
  return !error && space.available / 10 * 9 > bytes ? TupleHome::file : TupleHome::memory;
}

}  // namespace brushfire
