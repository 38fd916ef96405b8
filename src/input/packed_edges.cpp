// Packing as in the files of the reference: the low halves of both labels, then a word with bits 32 to 47 of both.
#include "input/packed_edges.hpp"

#include "base/error.hpp"
#include "base/saturating.hpp"
#include "input/edge_blocks.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
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
  if (home == TupleHome::file) {
    file_.emplace();
  } else {
    memory_ = Buffer<std::byte>(facts_.edges * bytes_per_edge);
    facts_.bytes_held = memory_.bytes();
  }
  for_each_edge_block(source, team, progress, [&](std::uint64_t first, std::span<const Edge> edges, int) {
    std::vector<PackedEdge> packed(edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i) packed[i] = pack(edges[i]);
    auto const bytes = std::as_bytes(std::span(packed));
    if (home == TupleHome::memory)
      std::memcpy(memory_.data() + first * bytes_per_edge, bytes.data(), bytes.size());
    else
      transfer_all(bytes.size(), "written", [&](std::size_t done) {
        return pwrite(file_->descriptor(), bytes.data() + done, bytes.size() - done,
                      static_cast<off_t>(first * bytes_per_edge + done));
      });
  });
}

NamelessFile::NamelessFile()
{
  std::string name = (scratch_folder() / "brushfire-tuples.XXXXXX").string();
  descriptor_ = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(ErrorKind::failure, "{}: cannot be written: {}", name, std::strerror(errno));
  unlink(name.c_str());
}

NamelessFile::~NamelessFile() { close(descriptor_); }

void PackedEdges::read(std::uint64_t first, std::span<Edge> out) const
{
  std::array<PackedEdge, 2048> piece;  // stays in the first-level cache between read and unpack
  for (std::size_t done = 0; done < out.size(); done += piece.size()) {
    std::size_t const count = std::min(piece.size(), out.size() - done);
    std::uint64_t const offset = (first + done) * bytes_per_edge;
    std::size_t const bytes = count * bytes_per_edge;
    auto* const start = reinterpret_cast<char*>(piece.data());
    if (!file_)
      std::memcpy(start, memory_.data() + offset, bytes);
    else
      transfer_all(bytes, "read", [&](std::size_t got) {
        return pread(file_->descriptor(), start + got, bytes - got, static_cast<off_t>(offset + got));
      });
    for (std::size_t i = 0; i < count; ++i) out[done + i] = unpack(piece[i]);
  }
}

std::uint64_t PackedEdges::disk_bytes_available()
{
  struct statfs disk {};
  // A tmpfs is memory under another name.
  if (statfs(scratch_folder().c_str(), &disk) != 0 || disk.f_type == TMPFS_MAGIC) return 0;
  return saturating_product(disk.f_bavail, static_cast<std::uint64_t>(disk.f_bsize));
}

}  // namespace brushfire
